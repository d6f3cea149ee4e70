import type { PixelType } from '#contract/pixel.ts'
import type { Vendor } from './vendor.ts'
import { VENDORS } from './vendors.ts'

/** A vendor that was recognised in a pixel's code, with the account that the code names. */
export interface VendorMark {
  id: string
  account: string | null
}

/** The vendor that a type stands for, whatever its code says. */
const VENDOR_OF_TYPE: Record<PixelType, string | null> = {
  meta: 'meta-pixel',
  google_analytics: 'google-analytics-4',
  google_tag_manager: 'google-tag-manager',
  custom: null,
}
const BY_ID = new Map(VENDORS.map((vendor) => [vendor.id, vendor]))

/** Stands where a vendor's name would in any sentence, whatever comes before it: it takes no article. */
export const UNKNOWN_VENDOR = 'sua plataforma'

/** Undefined for a vendor that another version knew. */
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
