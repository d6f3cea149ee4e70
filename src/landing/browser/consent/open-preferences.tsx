import type { ConsentCategory } from '#contract/consent.ts'
import type { ConsentAction } from '#contract/consent-choice.ts'
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

export function openPreferences({ granted, inUse, opener, choose }: OpenPreferencesOptions): void {
  mountDialog(opener, preferencesStyle, (onClose) => (
    <PreferencesDialog
      granted={granted}
      inUse={inUse}
      // What the banner of this page says beyond the ordinary words.
      more={document.querySelector('.consent span')?.textContent}
      onChoose={choose}
      onClose={onClose}
    />
  ))
}
