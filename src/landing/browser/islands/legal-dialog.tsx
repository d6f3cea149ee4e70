import { type MouseEvent, useLayoutEffect, useRef } from 'react'
import type { LegalDocument } from '#landing/legal/legal-document.ts'
import { LegalText } from '#landing/legal/legal-text.tsx'
import { LEGAL_DATE } from '#landing/legal/legal-titles.ts'

interface LegalDialogProps {
  title: string
  document: LegalDocument
  onClose: () => void
}

export function LegalDialog({ title, document, onClose }: LegalDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const close = () => dialog.current?.close()
  const closeOnBackdrop = (event: MouseEvent) => {
    if (event.target === dialog.current) close()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape already closes it; the click is for the backdrop.
    <dialog ref={dialog} aria-labelledby="legal-title" onClose={onClose} onClick={closeOnBackdrop}>
      <div className="dhead">
        <div>
          <h2 id="legal-title">{title}</h2>
          <p>{LEGAL_DATE}</p>
        </div>
        <button type="button" className="icon" aria-label="Fechar" onClick={close}>
          <svg width="24" height="24" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
            <path d="m4 4 16 16M20 4 4 20" />
          </svg>
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keyboard. */}
      <section className="doc" tabIndex={0} aria-labelledby="legal-title">
        <LegalText document={document} heading="h3" />
      </section>
    </dialog>
  )
}
