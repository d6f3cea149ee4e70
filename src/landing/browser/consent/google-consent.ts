import type { ConsentCategory } from '#contract/consent.ts'
import { GOOGLE_CONSENT_TYPES } from '#contract/consent-choice.ts'
import { gtag } from '../shared/gtag.ts'

/** Before anything of Google's: a tag that reads consent before a default takes it as given. */
export function denyGoogleByDefault(): void {
  gtag('consent', 'default', { ...googleConsent([]), wait_for_update: 500 })
}

export function updateGoogleConsent(granted: readonly ConsentCategory[]): void {
  gtag('consent', 'update', googleConsent(granted))
}

function googleConsent(granted: readonly ConsentCategory[]): Record<string, 'granted' | 'denied'> {
  const given = ['essenciais', ...granted]
  return Object.fromEntries(
    Object.entries(GOOGLE_CONSENT_TYPES).flatMap(([category, types]) =>
      types.map((type) => [type, given.includes(category) ? 'granted' : 'denied']),
    ),
  )
}
