import type { PixelType } from '#contract/pixel.ts'

/** Who answers, as the subject of a sentence and at its beginning. */
export const ANSWERERS: Record<PixelType, { who: string; Who: string }> = {
  meta: { who: 'a Meta', Who: 'A Meta' },
  google_analytics: { who: 'o Google', Who: 'O Google' },
  google_tag_manager: { who: 'o Google', Who: 'O Google' },
  custom: { who: 'o webhook', Who: 'O webhook' },
}
