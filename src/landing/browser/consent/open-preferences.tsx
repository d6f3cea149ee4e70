import type { ConsentCategory } from '#contract/consent.ts'
import type { ConsentAction } from '#contract/consent-choice.ts'
import { readConsentCookie } from '../shared/consent-cookie.ts'
import { mountDialog } from '../shared/mount-dialog.ts'
import preferencesStyle from './preferences.css?inline'
import { PreferencesDialog } from './preferences-dialog.tsx'

export interface OpenPreferencesOptions {
  granted: ConsentCategory[]
  inUse: ConsentCategory[]
  /** Gets the focus back. */
  opener: HTMLElement
  choose: (granted: ConsentCategory[], action: ConsentAction) => void
}

export function openPreferences({ opener, ...choice }: OpenPreferencesOptions): void {
  mountDialog(opener, preferencesStyle, (onClose) => (
    <PreferencesDialog
      {...choice}
      // What the banner of this page says beyond the ordinary words.
      more={document.querySelector('.consent b')?.textContent}
      onClose={onClose}
      code={readConsentCookie()?.id.slice(0, 13).toUpperCase()}
    />
  ))
}
