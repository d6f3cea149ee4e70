import { PIXEL_TYPES, type PixelType } from '#contract/pixel.ts'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import type { RecognisedTag } from '#contract/tag-status.ts'
import type { Vendor } from './vendor.ts'
import { VENDORS } from './vendors.ts'

/** The catalogue's entry; for a vendor of another version, its id. */
export function describeVendor(id: string): Pick<Vendor, 'id' | 'name' | 'company' | 'country' | 'purpose'> {
  const vendor = vendorById(id)
  if (vendor === undefined)
    return { id, name: id, company: 'empresa fora do catálogo', country: '', purpose: '' }
  const { name, company, country, purpose } = vendor
  return { id, name, company, country, purpose }
}

/** IDs whose format identifies the vendor. */
const BARE_IDS: readonly { pattern: RegExp; vendor: string; type: PixelType }[] = [
  { pattern: /^\d{15,16}$/, vendor: 'meta-pixel', type: 'meta' },
  { pattern: /^(?:G|GT)-[A-Z0-9]{4,20}$/, vendor: 'google-analytics-4', type: 'google_analytics' },
  { pattern: /^AW-\d{6,14}$/, vendor: 'google-ads', type: 'google_analytics' },
  { pattern: /^GTM-[A-Z0-9]{4,12}$/, vendor: 'google-tag-manager', type: 'google_tag_manager' },
]

/** Recognises a paste: a compiled snippet, or an ID alone, for which the snippet is generated. */
export function recognisePaste(code: string, vendors: readonly VendorMark[]): RecognisedTag | null {
  const bare = BARE_IDS.find(({ pattern }) => pattern.test(code.trim()))
  if (bare !== undefined) {
    const vendor = vendorById(bare.vendor)
    const id = code.trim()
    return vendor === undefined
      ? null
      : describe(vendor, { id, type: bare.type, code: generateSnippet(bare.type, id) })
  }
  const [mark] = vendors
  const vendor = mark === undefined ? undefined : vendorById(mark.id)
  if (mark === undefined || vendor === undefined) return null
  return describe(vendor, { id: mark.account, type: typeOf(vendor.id), code: null })
}

function typeOf(vendorId: string): PixelType {
  return PIXEL_TYPES.find((type) => marksOfPixel(type, [])[0]?.id === vendorId) ?? 'custom'
}

function describe(
  { id: vendor, name, idLabel, category, advice }: Vendor,
  paste: Pick<RecognisedTag, 'id' | 'type' | 'code'>,
): RecognisedTag {
  return { vendor, name, id_label: idLabel, category, advice: advice ?? null, ...paste }
}

/** A recognised vendor, with the account in the code. */
export interface VendorMark {
  id: string
  account: string | null
}

/** The vendor of a type, whatever the code says. */
const VENDOR_OF_TYPE: Record<PixelType, string | null> = {
  meta: 'meta-pixel',
  google_analytics: 'google-analytics-4',
  google_tag_manager: 'google-tag-manager',
  custom: null,
}

/** Replaces a vendor's name in any sentence: it takes no article. */
export const UNKNOWN_VENDOR = 'sua plataforma'

/** Undefined for a vendor of another version. */
export function vendorById(id: string): Vendor | undefined {
  return VENDORS.find((vendor) => vendor.id === id)
}

/** Every vendor whose hosts a pixel needs, the one of its type first. */
export function marksOfPixel(type: PixelType, recognised: readonly VendorMark[]): readonly VendorMark[] {
  const id = VENDOR_OF_TYPE[type]
  if (id === null || recognised[0]?.id === id) return recognised
  const own = recognised.find((mark) => mark.id === id) ?? { id, account: null }
  return [own, ...recognised.filter((mark) => mark.id !== id)]
}

/** Vendors whose hosts the type does not bring. */
export function marksBeyondType(type: PixelType, recognised: readonly VendorMark[]): VendorMark[] {
  return recognised.filter((mark) => mark.id !== VENDOR_OF_TYPE[type])
}
