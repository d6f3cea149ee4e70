import { toMatchedText, type Vendor } from './vendor.ts'
import { VENDORS } from './vendors.ts'

export interface RecognisedVendor {
  vendor: Vendor
  /** The account in the paste, if any. */
  id: string | null
}

/** Every vendor whose signs are in the text: one paste can contain several. */
export function recogniseVendors(code: string): RecognisedVendor[] {
  const text = toMatchedText(code)
  return VENDORS.filter(({ signs }) => signs.some((sign) => sign.test(text))).map((vendor) => ({
    vendor,
    id: firstCapture(vendor.ids, text),
  }))
}

function firstCapture(patterns: readonly RegExp[], text: string): string | null {
  for (const pattern of patterns) {
    const captured = pattern.exec(text)?.[1]
    if (captured !== undefined) return captured
  }
  return null
}
