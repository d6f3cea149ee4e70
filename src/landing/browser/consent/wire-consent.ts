import type { ConsentCategory } from '#contract/consent.ts'
import { type ConsentAction, OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import { legalPagePath } from '#landing/legal/legal-paths.ts'
import { adoptStyle } from '../shared/adopt-style.ts'
import { openDialogs } from '../shared/open-dialogs.ts'
import type { TagSet } from '../shared/tag-set.ts'
import { CHOICE_SAVED } from './choice-saved.ts'
import consentStyle from './consent.css?inline'
import type { OpenPreferencesOptions } from './open-preferences.tsx'
import { readGranted } from './read-granted.ts'
import { saveChoice } from './save-choice.ts'
import { findBanner } from './show-banner.ts'

/** Loads the dialog, which needs React and stays off the load path. */
export type LoadPreferences = () => Promise<{ openPreferences(options: OpenPreferencesOptions): void }>

/** Wires banner and footer link. `onGranted` is called with each choice that needs no reload. */
export function wireConsent(
  tagSet: TagSet,
  loadPreferences: LoadPreferences,
  onGranted: (granted: ConsentCategory[]) => void,
): void {
  adoptStyle(consentStyle)
  const banner = findBanner()
  // A live region must exist before its text changes, or screen readers do not announce it.
  const status = document.createElement('p')
  status.role = 'status'
  status.className = 'said'
  document.body.append(status)
  const choose = (granted: ConsentCategory[], action: ConsentAction) => {
    if (banner !== null && !banner.hidden) {
      banner.hidden = true
      focusMain()
    }
    if (saveChoice(granted, action, tagSet)) return
    status.textContent = CHOICE_SAVED
    onGranted(granted)
  }
  let opening = false
  const openPreferences = async (opener: HTMLElement) => {
    if (opening) return
    opening = true
    try {
      const part = await loadPreferences()
      part.openPreferences({ granted: readGranted(tagSet) ?? [], inUse: tagSet.inUse, opener, choose })
    } finally {
      opening = false
    }
  }
  banner?.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLElement>('[data-consent]')
    const action = button?.dataset.consent
    if (action === 'accept_all') choose([...OPTIONAL_CATEGORIES], action)
    if (action === 'reject') choose([], action)
    // When the dialog cannot be loaded, the cookie policy says what can be done.
    if (action === 'choose' && button)
      openPreferences(button).catch(() => location.assign(legalPagePath('cookies')))
  })
  openDialogs(document.querySelectorAll('a[data-preferences]'), loadPreferences, openPreferences)
}

/** The focused button is hidden now; the focus goes to the start of the content. */
function focusMain(): void {
  const main = document.getElementById('main')
  main?.setAttribute('tabindex', '-1')
  main?.focus({ preventScroll: true })
}
