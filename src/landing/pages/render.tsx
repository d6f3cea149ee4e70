import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import type { ActiveToolList, Dossier } from '#contract/inventory.ts'
import type { SiteInfo } from '#contract/site.ts'
import { SHARING } from '../content/sharing.ts'
import { LEGAL_DOCUMENTS } from '../legal/legal-documents.ts'
import { legalPagePath } from '../legal/legal-paths.ts'
import { type LegalSlug, legalTitle } from '../legal/legal-titles.ts'
import { Document, type DocumentAssets } from './document.tsx'
import { DossierPage } from './dossier/dossier-page.tsx'
import { ERROR_TEXTS, ErrorPage } from './error-page.tsx'
import { LandingPage } from './landing-page.tsx'
import { LegalPage } from './legal-page.tsx'

export { withActiveTools } from '../legal/active-tools.ts'
export { LEGAL_DOCUMENTS } from '../legal/legal-documents.ts'
export { legalJsonPath, legalPagePath } from '../legal/legal-paths.ts'
export { LEGAL_TITLES } from '../legal/legal-titles.ts'
export { renderConsentNotices } from './consent-notice.tsx'
export { renderLlmsText } from './llms-text.ts'

/** Entry of the server's bundle: everything that the server renders with React, and nothing else of the page. */
export function renderLanding(site: SiteInfo, assets: DocumentAssets): string {
  return toHtml(
    <Document
      site={site}
      assets={assets}
      title={SHARING.title(site.brandName)}
      description={SHARING.description}
      path="/"
    >
      <LandingPage site={site} logo={assets.pictures.touchIcon} />
    </Document>,
  )
}

/** What a form post without JavaScript gets back: the page, with the answer where the form is. */
export function renderNewsletterAnswer(site: SiteInfo, assets: DocumentAssets, message: string): string {
  return toHtml(
    <Document
      site={site}
      assets={assets}
      title={`${message} | ${site.brandName}`}
      description={SHARING.description}
      path={null}
    >
      <LandingPage site={site} logo={assets.pictures.touchIcon} newsletterMessage={message} />
    </Document>,
  )
}

export function renderLegalPage(
  site: SiteInfo,
  assets: DocumentAssets,
  slug: LegalSlug,
  tools?: ActiveToolList,
): string {
  return toHtml(
    <Document
      site={site}
      assets={plain(assets)}
      title={`${legalTitle(slug)} | ${site.brandName}`}
      description={LEGAL_DOCUMENTS[slug](site).intro}
      path={legalPagePath(slug)}
    >
      <LegalPage site={site} slug={slug} tools={tools} />
    </Document>,
  )
}

export function renderErrorPage(site: SiteInfo, assets: DocumentAssets, status: 404 | 500): string {
  return toHtml(
    <Document
      site={site}
      assets={plain(assets)}
      title={`${ERROR_TEXTS[status].title} | ${site.brandName}`}
      description={ERROR_TEXTS[status].text}
      path={null}
    >
      <ErrorPage site={site} status={status} />
    </Document>,
  )
}

export function renderDossier(dossier: Dossier): string {
  return toHtml(<DossierPage dossier={dossier} />)
}

/** Pages to read need neither the landing page's style nor any script. */
function plain(assets: DocumentAssets): DocumentAssets {
  return { ...assets, css: assets.plainCss, bootScript: null }
}

function toHtml(document: ReactElement): string {
  // A shape of a drawing may close itself, which the renderer does not know.
  return `<!doctype html>${renderToStaticMarkup(document).replace(/><\/(path|rect|circle|use|stop)>/g, '/>')}`
}
