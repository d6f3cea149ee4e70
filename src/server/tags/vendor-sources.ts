import type { TagSources } from '../http/content-security-policy.ts'
import { type VendorMark, vendorById } from '../vendors/marks.ts'
import type { VendorHosts } from '../vendors/vendor.ts'
import { mergeSources, NO_SOURCES, toTagSources } from './tag-sources.ts'

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
  return Object.values(vendorById(id)?.hosts ?? {}).some((hosts) =>
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
  const hosts = Object.entries(vendorById(id)?.hosts ?? {})
  return Object.fromEntries(
    hosts.map(([directive, names]) => [
      directive,
      names
        .map((name) => (label === null ? name : name.replace('{id}', label)))
        .filter((name) => !name.includes('{')),
    ]),
  )
}
