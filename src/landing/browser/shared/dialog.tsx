import type { ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import dialogStyle from '#landing/styles/dialog.css?inline'
import { adoptStyle } from './page.ts'

interface DialogHeadProps {
  /** Id of the title, for the dialog's name. */
  id: string
  title: string
  text: string
  onClose: () => void
}

export function DialogHead({ id, title, text, onClose }: DialogHeadProps) {
  return (
    <div className="dhead">
      <div>
        <h2 id={id}>{title}</h2>
        <p>{text}</p>
      </div>
      <button type="button" className="icon" aria-label="Fechar" onClick={onClose}>
        <svg width="24" height="24" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
          <path d="m5 5 14 14M19 5 5 19" />
        </svg>
      </button>
    </div>
  )
}

/**
 * Shows what `render` returns in a dialog until it calls `onClose`; the focus then returns to `opener`. Synchronous, so
 * that a second tap finds the dialog open.
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
