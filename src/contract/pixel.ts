import type { OptionalCategory } from './consent.ts'
import type { PixelRow } from './pixel-columns.ts'

export const PIXEL_TYPES = ['meta', 'google_analytics', 'google_tag_manager', 'custom'] as const
export type PixelType = (typeof PIXEL_TYPES)[number]

export const PIXEL_TYPE_LABELS: Record<PixelType, string> = {
  meta: 'Meta',
  google_analytics: 'Google Analytics',
  google_tag_manager: 'Google Tag Manager',
  custom: 'Personalizado',
}

export const PIXEL_NAME_MAX_LENGTH = 200
/** Larger code is refused: see `isWithinCodeLimit`. */
export const PIXEL_CODE_MAX_BYTES = 100_000
/** Narrow on purpose: an ID is pasted into generated code, so nothing that could leave a string may pass. */
export const PIXEL_ID_PATTERN = /^[A-Za-z0-9_-]{1,64}$/

/** Which consent a tag of this type needs unless the administrator chose another. */
export const DEFAULT_CATEGORY: Record<PixelType, OptionalCategory> = {
  meta: 'marketing',
  google_analytics: 'desempenho',
  google_tag_manager: 'marketing',
  custom: 'marketing',
}

/** A row of `tracking_pixels` as it travels on the wire. */
export type Pixel = PixelRow

/** The one measure of code, in form, API and compiler: UTF-8 bytes, as it is stored and sent. */
export function isWithinCodeLimit(code: string): boolean {
  return new TextEncoder().encode(code).length <= PIXEL_CODE_MAX_BYTES
}

/** The one measure of names and reasons: characters, whatever an encoding makes of them. */
export function countCharacters(text: string): number {
  return [...text].length
}
