import { createRoot } from 'react-dom/client'
import type { LegalDocument } from '#landing/legal/legal-document.ts'
import { type LegalSlug, legalTitle } from '#landing/legal/legal-titles.ts'
import dialogStyle from '#landing/styles/dialog.css?inline'
import documentStyle from '#landing/styles/legal-text.css?inline'
import { adoptStyle } from '../shared/adopt-style.ts'
import { LegalDialog } from './legal-dialog.tsx'

/** Shows the document that `answer` brings over the page, and gives the focus back to `opener` afterwards. */
export async function openLegal(
  slug: LegalSlug,
  answer: Promise<Response>,
  opener: HTMLElement,
): Promise<void> {
  const response = await answer
  if (!response.ok) throw new Error(`the document ${slug} was answered with ${response.status}`)
  const text: LegalDocument = await response.json()
  adoptStyle(dialogStyle)
  adoptStyle(documentStyle)
  const host = document.body.appendChild(document.createElement('div'))
  const root = createRoot(host)
  const onClose = () => {
    root.unmount()
    host.remove()
    opener.focus()
  }
  root.render(<LegalDialog title={legalTitle(slug)} document={text} onClose={onClose} />)
}
