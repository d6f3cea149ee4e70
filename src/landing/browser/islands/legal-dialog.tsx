import { type MouseEvent, useLayoutEffect, useRef } from 'react'
import type { LegalDocument } from '#landing/legal/legal-document.ts'
import { LegalText } from '#landing/legal/legal-text.tsx'
import { LEGAL_DATE } from '#landing/legal/legal-titles.ts'
import { DialogHead } from '../shared/dialog-head.tsx'

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
      <DialogHead id="legal-title" title={title} text={LEGAL_DATE} onClose={close} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keyboard. */}
      <section className="doc" tabIndex={0} aria-labelledby="legal-title">
        <LegalText document={document} heading="h3" />
      </section>
    </dialog>
  )
}
