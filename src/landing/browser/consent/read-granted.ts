import type { ConsentCategory } from '#contract/consent.ts'
import { readConsentCookie } from '../shared/consent-cookie.ts'
import type { TagSet } from '../shared/tag-set.ts'

/** What the visitor agreed to, or null when it must be asked (again): no choice, another text, another kind of tag. */
export function readGranted({ inUse, textVersion }: TagSet): ConsentCategory[] | null {
  const choice = readConsentCookie()
  if (choice === null || choice.textVersion < textVersion) return null
  return inUse.every((category) => choice.asked.includes(category)) ? choice.granted : null
}
