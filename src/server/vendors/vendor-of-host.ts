import type { Vendor } from './vendor.ts'
import { VENDORS } from './vendors.ts'

const BY_SUFFIX = new Map(
  VENDORS.flatMap((vendor) => vendor.suffixes.map((suffix) => [suffix, vendor] as const)),
)

/** Whose a host is: the vendor with the longest suffix that the name is or ends with. */
export function vendorOfHost(host: string): Vendor | null {
  for (let name = host; ; name = name.slice(name.indexOf('.') + 1)) {
    const vendor = BY_SUFFIX.get(name)
    if (vendor !== undefined) return vendor
    if (!name.includes('.')) return null
  }
}
