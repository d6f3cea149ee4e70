import type { ConsentCategory, OptionalCategory } from '#contract/consent.ts'
import {
  type ConsentAction,
  countsOnText,
  GOOGLE_CONSENT_TYPES,
  OPTIONAL_CATEGORIES,
} from '#contract/consent-choice.ts'
import { legalPagePath, PREFERENCES_ID } from '#landing/legal/legal-paths.ts'
import { readConsentCookie, writeConsentCookie } from '../shared/consent-cookie.ts'
import { adoptStyle, gtag, openDialogs, randomId, type TagSet } from '../shared/page.ts'
import consentStyle from './consent.css?inline'
import { sendRecord, sendUnsentRecords } from './send-record.ts'

/**
 * No vendor code runs before the choice. `onGranted` is called with the granted categories, from an earlier visit or
 * now.
 */
export function startConsent(
  tagSet: TagSet,
  loadPreferences: LoadPreferences,
  onGranted: (granted: readonly ConsentCategory[]) => void,
): void {
  sendUnsentRecords()
  if (tagSet.version === '') {
    wireConsent(tagSet, loadPreferences, () => {})
    return
  }
  denyGoogleByDefault()
  const grant = (granted: readonly ConsentCategory[]) => {
    updateGoogleConsent(granted)
    onGranted(granted)
  }
  wireConsent(tagSet, loadPreferences, grant)
  const granted = readGranted(tagSet)
  if (granted !== null) grant(granted)
  // Global Privacy Control refuses everything optional; a choice in the preferences is newer and wins.
  else if (!(navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl) showBanner()
}

/** Loads the dialog, which needs React. */
export interface OpenPreferencesOptions {
  granted: ConsentCategory[]
  inUse: ConsentCategory[]
  /** Gets the focus back. */
  opener: HTMLElement
  choose: (granted: ConsentCategory[], action: ConsentAction) => void
}

export type LoadPreferences = () => Promise<{ openPreferences(options: OpenPreferencesOptions): void }>

/** Wires banner and footer link. `onGranted` is called with each choice that needs no reload. */
function wireConsent(
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
    // If the dialog cannot be loaded, the link leads to the cookie policy.
    if (action === 'choose' && button)
      openPreferences(button).catch(() => location.assign(legalPagePath('cookies')))
  })
  const links = document.querySelectorAll<HTMLAnchorElement>('a[data-preferences]')
  openDialogs(links, loadPreferences, openPreferences)
  if (location.hash === `#${PREFERENCES_ID}`) links[0]?.click()
}

/** The focused button is hidden now; the focus moves to the start of the content. */
function focusMain(): void {
  const main = document.getElementById('main')
  main?.setAttribute('tabindex', '-1')
  main?.focus({ preventScroll: true })
}

/** Announced to screen readers once the banner is gone. */
const CHOICE_SAVED = 'Escolha salva. Para mudar, acesse Preferências de cookies no rodapé.'

/** The granted categories, or null if the visitor must be asked (again): no choice, another text, or a new category. */
function readGranted({ inUse, textVersion }: TagSet): ConsentCategory[] | null {
  const choice = readConsentCookie()
  if (choice === null || !countsOnText(choice.textVersion, textVersion)) return null
  return inUse.every((category) => choice.asked.includes(category)) ? choice.granted : null
}

/** Stores the choice, sends its record, and revokes earlier grants. Returns true if the page is about to reload. */
function saveChoice(granted: ConsentCategory[], action: ConsentAction, tagSet: TagSet): boolean {
  const before = readConsentCookie()
  const taken = before?.granted.some((category) => !granted.includes(category)) ?? false
  const id = before?.id ?? randomId()
  const { textVersion } = tagSet
  writeConsentCookie({ textVersion, granted, asked: tagSet.inUse, id })
  sendRecord({
    record_id: randomId(),
    id,
    action: taken ? 'revoke' : action,
    categories: granted as OptionalCategory[],
    text_version: textVersion,
    tag_set_version: tagSet.version,
  })
  if (!taken) return false
  updateGoogleConsent(granted)
  if (!granted.includes('marketing')) window.fbq?.('consent', 'revoke')
  // Only a reload unloads running code. If the clean-up cannot be loaded, nothing runs afterwards either.
  void tagSet
    .deleteLeftovers()
    .catch(() => {})
    .then(() => location.reload())
  return true
}

/** Before any Google code: a tag that reads consent before the default assumes that it is granted. */
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

export function findBanner(): HTMLElement | null {
  return document.querySelector('.consent')
}

/** Second in the tab order, after the skip link; last in the HTML, so that it does not delay the first paint. */
export function showBanner(): void {
  const banner = findBanner()
  if (banner === null) return
  document.querySelector('.skip')?.after(banner)
  banner.hidden = false
  addSpaceForBanner(banner)
}

/** While the banner is shown, content below it can be scrolled into view: the end of the page, and a focused field. */
function addSpaceForBanner(banner: HTMLElement): void {
  const root = document.documentElement
  // The footer grows, so that no gap shows below it.
  const end = document.querySelector('footer') ?? document.body
  const update = () => {
    const room = banner.hidden ? '' : `${innerHeight - banner.getBoundingClientRect().top}px`
    root.style.scrollPaddingBottom = room
    end.style.paddingBottom = room
  }
  new ResizeObserver(update).observe(banner)
}
