import { PIXEL_TYPES, type PixelType } from '#contract/pixel.ts'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import type { RecognisedTag } from '#contract/tag-status.ts'
import type { VendorMark } from '#server/vendors/marks.ts'
import { marksOfPixel, vendorById } from '#server/vendors/marks.ts'
import type { Vendor } from '../vendors/vendor.ts'

/** IDs that say by their shape whose they are. */
const BARE_IDS: readonly { pattern: RegExp; vendor: string; type: PixelType }[] = [
  { pattern: /^\d{15,16}$/, vendor: 'meta-pixel', type: 'meta' },
  { pattern: /^(?:G|GT)-[A-Z0-9]{4,20}$/, vendor: 'google-analytics-4', type: 'google_analytics' },
  { pattern: /^AW-\d{6,14}$/, vendor: 'google-ads', type: 'google_analytics' },
  { pattern: /^GTM-[A-Z0-9]{4,12}$/, vendor: 'google-tag-manager', type: 'google_tag_manager' },
]

/** Whose a paste is: a snippet as it was compiled, or an ID alone, for which the snippet is made. */
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
