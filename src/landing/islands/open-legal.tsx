import { createRoot } from 'react-dom/client'
import type { LegalParties } from '../legal/legal-document.ts'
import { type LegalSlug, legalTitle } from '../legal/legal-titles.ts'
import { SITE_DATA_ELEMENT_ID } from '../legal/site-data.ts'
import { LegalDialog } from './legal-dialog.tsx'

/** Shows one document over the page and gives the focus back to `opener` afterwards. */
export async function openLegal(slug: LegalSlug, opener: HTMLElement): Promise<void> {
  const { LEGAL_DOCUMENTS } = await import('../legal/legal-documents.ts')
  const parties = JSON.parse(
    document.getElementById(SITE_DATA_ELEMENT_ID)?.textContent ?? '{}',
  ) as LegalParties
  const host = document.body.appendChild(document.createElement('div'))
  const root = createRoot(host)
  const onClose = () => {
    root.unmount()
    host.remove()
    opener.focus()
  }
  root.render(
    <LegalDialog title={legalTitle(slug)} document={LEGAL_DOCUMENTS[slug](parties)} onClose={onClose} />,
  )
}
