import type { PixelType } from '#contract/pixel.ts'

interface IdFieldText {
  label: string
  example: string
}

/** Label and example of the ID field by type; a custom pixel has none. */
export const ID_FIELD_TEXT: Record<Exclude<PixelType, 'custom'>, IdFieldText> = {
  meta: { label: 'Pixel ID', example: '' },
  google_analytics: { label: 'Measurement ID (GA4)', example: 'G-XXXXXXXXXX' },
  google_tag_manager: { label: 'Container ID (GTM)', example: 'GTM-XXXXXXX' },
}
