import type { ConsentCategory } from '#contract/consent.ts'
import { CONSENT_TEXT_VERSION, type ConsentAction, OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import { openDialogs } from '../dialog-link.ts'
import { adoptStyle } from '../styles/adopt-style.ts'
import { CHOICE_SAVED } from './choice-saved.ts'
import consentStyle from './consent.css?inline'
import { readConsentCookie } from './consent-cookie.ts'
import { makeRoomFor } from './make-room.ts'
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
  // There before it speaks, or a screen reader does not hear it.
  const status = document.createElement('p')
  status.role = 'status'
  status.className = 'said'
  document.body.append(status)
  const choose = (granted: ConsentCategory[], action: ConsentAction) => {
    if (banner !== null && !banner.hidden) {
      banner.hidden = true
      focusMain()
    }
    if (saveChoice(granted, action, asked)) return
    status.textContent = CHOICE_SAVED
    onGranted(granted)
  }
  let opening = false
  const openPreferences = async (opener: HTMLElement) => {
    if (opening) return
    opening = true
    try {
      const part = await loadPreferences()
      part.openPreferences({ granted: readGranted(asked.inUse) ?? [], inUse: asked.inUse, opener, choose })
    } finally {
      opening = false
    }
  }
  banner?.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLElement>('[data-consent]')
    const action = button?.dataset.consent
    if (action === 'accept_all') choose([...OPTIONAL_CATEGORIES], action)
    if (action === 'reject') choose([], action)
    // Where the choice itself cannot be had, its page says what can be done.
    if (action === 'choose' && button) openPreferences(button).catch(() => location.assign('/cookies'))
  })
  openDialogs(document.querySelectorAll('a[data-preferences]'), loadPreferences, openPreferences)
}

/** Second in the tab order, after the link that skips to the content; last in the HTML: it must cost the first paint nothing. */
export function showBanner(): void {
  const banner = document.querySelector<HTMLElement>(BANNER_SELECTOR)
  if (banner === null) return
  document.querySelector('.skip')?.after(banner)
  banner.hidden = false
  makeRoomFor(banner)
}

/** What had the focus is gone; reading goes on where the page begins. */
function focusMain(): void {
  const main = document.getElementById('main')
  main?.setAttribute('tabindex', '-1')
  main?.focus({ preventScroll: true })
}
