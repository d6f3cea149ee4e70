import { type MouseEvent, useLayoutEffect, useRef } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { LEGAL_DATE, type LegalDocument, type LegalSlug, legalTitle } from '#landing/legal/document.ts'
import { LegalText } from '#landing/legal/legal-text.tsx'
import legalTextStyle from '#landing/styles/legal-text.css?inline'
import type { OpenPreferencesOptions } from '../consent/consent.ts'
import { PreferencesDialog } from '../consent/notice.tsx'
import preferencesStyle from '../consent/preferences.css?inline'
import { readConsentCookie } from '../shared/consent-cookie.ts'
import { DialogHead, mountDialog } from '../shared/dialog.tsx'
import { objectsToCounting } from '../shared/objection.ts'
import { NewsletterForm } from './newsletter-form.tsx'

export function openPreferences({ opener, ...choice }: OpenPreferencesOptions): void {
  mountDialog(opener, preferencesStyle, (onClose) => (
    <PreferencesDialog
      {...choice}
      // The text that this page's banner adds.
      more={document.querySelector('.consent b')?.textContent}
      onClose={onClose}
      code={readConsentCookie()?.id.slice(0, 13).toUpperCase()}
      objects={objectsToCounting()}
    />
  ))
}

/** Resolves once the form works, with everything typed before still in it. */
export function hydrateNewsletter(container: Element): Promise<void> {
  const message = container.querySelector('[role=status]')?.textContent ?? ''
  return new Promise((resolve) => {
    hydrateRoot(container, <NewsletterForm initialMessage={message} onReady={resolve} />)
  })
}

/** Shows the document of `answer` in a dialog. */
export async function openLegal(
  slug: LegalSlug,
  answer: Promise<Response>,
  opener: HTMLElement,
): Promise<void> {
  const response = await answer
  if (!response.ok) throw new Error(slug)
  const text: LegalDocument = await response.json()
  mountDialog(opener, legalTextStyle, (onClose) => (
    <LegalDialog title={legalTitle(slug)} document={text} onClose={onClose} />
  ))
}

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
