import type { ManifestTag } from '#contract/tag-manifest.ts'
import type { VendorMark } from '#server/vendors/marks.ts'
import { vendorById } from '#server/vendors/marks.ts'
import type { NameRule } from '../vendors/vendor.ts'

/** What these vendors leave in a visitor's browser on our own site, as the page deletes it when consent is taken back. */
export function leftoversOfVendors(marks: readonly VendorMark[]): Pick<ManifestTag, 'leaves'> {
  const vendors = marks.flatMap(({ id }) => vendorById(id) ?? [])
  const cookies = vendors.flatMap((vendor) => vendor.cookies.map(({ name }) => toText(name)))
  const keys = vendors.flatMap(({ storage }) => storage.filter(({ readOnly }) => readOnly !== true))
  const inArea = (wanted: 'local' | 'session') =>
    keys.filter(({ area }) => area === wanted).map(({ key }) => toText(key))
  const lists = Object.entries({ cookies, local: inArea('local'), session: inArea('session') })
  const named = lists.filter(([, list]) => list.length > 0).map(([what, list]) => [what, [...new Set(list)]])
  return named.length === 0 ? {} : { leaves: Object.fromEntries(named) }
}

/** `name`, `prefix*` or `/pattern/`. */
function toText(rule: NameRule): string {
  if ('exact' in rule) return rule.exact
  return 'prefix' in rule ? `${rule.prefix}*` : `/${rule.pattern.source}/`
}
