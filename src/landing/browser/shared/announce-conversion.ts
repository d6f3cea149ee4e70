/** What a visitor did that a tag may want to count. Links carry the name in `data-conversion`. */
export type ConversionName = 'sign_up' | 'lead' | 'contact'

export const CONVERSION_EVENT = 'portico:conversion'

export function announceConversion(name: ConversionName): void {
  document.dispatchEvent(new CustomEvent(CONVERSION_EVENT, { detail: { name } }))
}
