import type { ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import dialogStyle from '#landing/styles/dialog.css?inline'
import { adoptStyle } from './adopt-style.ts'

/**
 * Shows what `render` makes over the page, and takes it away when it calls `onClose`; the focus then goes back to
 * `opener`. At once: a second tap must find the dialog open.
 */
export function mountDialog(
  opener: HTMLElement,
  style: string,
  render: (onClose: () => void) => ReactNode,
): void {
  adoptStyle(dialogStyle)
  adoptStyle(style)
  const host = document.body.appendChild(document.createElement('div'))
  const root = createRoot(host)
  const onClose = () => {
    root.unmount()
    host.remove()
    opener.focus()
  }
  flushSync(() => root.render(render(onClose)))
}
