import type { ConsentCategory } from '#contract/consent.ts'
import { CONSENT_TEXT_VERSION, type ConsentAction, OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import { openDialogs } from '../dialog-link.ts'
import { adoptStyle } from '../styles/adopt-style.ts'
import consentStyle from './consent.css?inline'
import { readConsentCookie } from './consent-cookie.ts'
import type { OpenPreferencesOptions } from './open-preferences.tsx'
import { type Asked, saveChoice } from './save-choice.ts'

/** Brings the dialog, which is React's and stays off the load path. */
export type LoadPreferences = () => Promise<{ openPreferences(options: OpenPreferencesOptions): void }>

const BANNER_SELECTOR = '.consent'

/** What the visitor agreed to, or null when it must be asked (again): no choice, another text, another kind of tag. */
export function readGranted(inUse: readonly ConsentCategory[]): ConsentCategory[] | null {
  const choice = readConsentCookie()
  if (choice === null || choice.textVersion !== CONSENT_TEXT_VERSION) return null
  return inUse.every((category) => choice.asked.includes(category)) ? choice.granted : null
}

/** Wires banner and footer link. `onGranted` hears each choice that lets the page go on without loading again. */
export function wireConsent(
  asked: Asked,
  loadPreferences: LoadPreferences,
  onGranted: (granted: ConsentCategory[]) => void,
): void {
  adoptStyle(consentStyle)
  const banner = document.querySelector<HTMLElement>(BANNER_SELECTOR)
  const choose = (granted: ConsentCategory[], action: ConsentAction) => {
    if (banner !== null) banner.hidden = true
    if (!saveChoice(granted, action, asked)) onGranted(granted)
  }
  const openPreferences = async (opener: HTMLElement) => {
    const part = await loadPreferences()
    part.openPreferences({ granted: readGranted(asked.inUse) ?? [], inUse: asked.inUse, opener, choose })
  }
  banner?.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLElement>('[data-consent]')
    const action = button?.dataset.consent
    if (action === 'accept_all') choose([...OPTIONAL_CATEGORIES], action)
    if (action === 'reject') choose([], action)
    if (action === 'choose' && button) void openPreferences(button)
  })
  openDialogs(document.querySelectorAll('a[data-preferences]'), loadPreferences, openPreferences)
}

/** First in the tab order, last in the HTML: it must cost the first paint nothing. */
export function showBanner(): void {
  const banner = document.querySelector<HTMLElement>(BANNER_SELECTOR)
  if (banner === null) return
  document.body.prepend(banner)
  banner.hidden = false
}
