import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import type { ConsentCategory } from '#contract/consent.ts'
import type { ConsentAction } from '#contract/consent-choice.ts'
import dialogStyle from '#landing/styles/dialog.css?inline'
import { adoptStyle } from '../shared/adopt-style.ts'
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
  adoptStyle(dialogStyle)
  adoptStyle(preferencesStyle)
  const host = document.body.appendChild(document.createElement('div'))
  const root = createRoot(host)
  const onClose = () => {
    root.unmount()
    host.remove()
    opener.focus()
  }
  // At once: a second tap must find the dialog open.
  flushSync(() =>
    root.render(<PreferencesDialog granted={granted} inUse={inUse} onChoose={choose} onClose={onClose} />),
  )
}
