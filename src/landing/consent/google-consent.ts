import type { ConsentCategory } from '#contract/consent.ts'
import { GOOGLE_CONSENT_TYPES } from '#contract/consent-choice.ts'

declare global {
  interface Window {
    dataLayer?: unknown[]
    fbq?: (...command: unknown[]) => void
  }
}

/** Google's library tells a command from data by its being an `arguments` object: an array would be ignored. */
export const gtag: (...command: unknown[]) => void = function () {
  window.dataLayer ??= []
  // biome-ignore lint/complexity/noArguments: see above.
  window.dataLayer.push(arguments)
}

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
