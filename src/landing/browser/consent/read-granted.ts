import type { ConsentCategory } from '#contract/consent.ts'
import { CONSENT_TEXT_VERSION } from '#contract/consent-choice.ts'
import { readConsentCookie } from '../shared/consent-cookie.ts'

/** What the visitor agreed to, or null when it must be asked (again): no choice, another text, another kind of tag. */
export function readGranted(inUse: readonly ConsentCategory[]): ConsentCategory[] | null {
  const choice = readConsentCookie()
  if (choice === null || choice.textVersion !== CONSENT_TEXT_VERSION) return null
  return inUse.every((category) => choice.asked.includes(category)) ? choice.granted : null
}
