import type { PixelType } from '#contract/pixel.ts'
import type { TagSources } from '../http/content-security-policy.ts'
import type { Vendor, VendorHosts } from '../vendors/vendor.ts'
import { VENDORS } from '../vendors/vendors.ts'
import type { VendorMark } from './compiled-tag.ts'
import { mergeSources, NO_SOURCES, toTagSources } from './tag-sources.ts'

/** The vendor that a type stands for, whatever its code says. */
const VENDOR_OF_TYPE: Record<PixelType, string | null> = {
  meta: 'meta-pixel',
  google_analytics: 'google-analytics-4',
  google_tag_manager: 'google-tag-manager',
  custom: null,
}
const BY_ID = new Map(VENDORS.map((vendor) => [vendor.id, vendor]))

/** Undefined for a vendor that another version knew. */
/** Stands where a vendor's name would in any sentence, whatever comes before it: it takes no article. */
export const UNKNOWN_VENDOR = 'sua plataforma'

export function vendorById(id: string): Vendor | undefined {
  return BY_ID.get(id)
}

/** Every vendor whose hosts a pixel needs, the one of its type first. */
export function marksOfPixel(type: PixelType, recognised: readonly VendorMark[]): readonly VendorMark[] {
  const id = VENDOR_OF_TYPE[type]
  if (id === null || recognised[0]?.id === id) return recognised
  const own = recognised.find((mark) => mark.id === id) ?? { id, account: null }
  return [own, ...recognised.filter((mark) => mark.id !== id)]
}

/** Those whose hosts the type does not bring. */
export function marksBeyondType(type: PixelType, recognised: readonly VendorMark[]): VendorMark[] {
  return recognised.filter((mark) => mark.id !== VENDOR_OF_TYPE[type])
}

const known = new Map<string, TagSources>()

/** What the catalogue says that these vendors need. The same object for the same vendors, so that many pixels are merged as one. */
export function sourcesOfVendors(marks: readonly VendorMark[]): TagSources {
  if (marks.length === 0) return NO_SOURCES
  const key = marks.map(keyOf).join(' ')
  const found = known.get(key)
  if (found !== undefined) return found
  const sources = mergeSources(marks.map((mark) => toTagSources(hostsOfMark(mark))))
  if (marks.every(({ id }) => !namesAccount(id))) known.set(key, sources)
  return sources
}

function keyOf({ id, account }: VendorMark): string {
  return namesAccount(id) ? `${id}/${account}` : id
}

function namesAccount(id: string): boolean {
  return Object.values(BY_ID.get(id)?.hosts ?? {}).some((hosts) =>
    hosts.some((host) => host.includes('{id}')),
  )
}

/** The account's ID without its prefix, where it can be a part of a host's name. */
function labelOf(account: string | null): string | null {
  const label = account?.slice(account.lastIndexOf('-') + 1).toLowerCase() ?? ''
  return /^[a-z0-9]{1,40}$/.test(label) ? label : null
}

function hostsOfMark({ id, account }: VendorMark): VendorHosts {
  const label = labelOf(account)
  const hosts = Object.entries(BY_ID.get(id)?.hosts ?? {})
  return Object.fromEntries(
    hosts.map(([directive, names]) => [
      directive,
      names
        .map((name) => (label === null ? name : name.replace('{id}', label)))
        .filter((name) => !name.includes('{')),
    ]),
  )
}
