import type { LegalDocument } from '#landing/legal/legal-document.ts'
import { type LegalSlug, legalTitle } from '#landing/legal/legal-titles.ts'
import legalTextStyle from '#landing/styles/legal-text.css?inline'
import { mountDialog } from '../shared/mount-dialog.ts'
import { LegalDialog } from './legal-dialog.tsx'

/** Shows the document that `answer` brings over the page. */
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
