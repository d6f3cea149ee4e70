import { renderToStaticMarkup } from 'react-dom/server'
import type { SiteInfo } from '#contract/site.ts'
import { Document, type DocumentAssets } from './document.tsx'
import { ErrorPage } from './error-page.tsx'
import { LandingPage } from './landing-page.tsx'

/** Entry of the server's bundle: everything that the server renders with React, and nothing else of the page. */
export function renderLanding(site: SiteInfo, assets: DocumentAssets): string {
  return toHtml(
    <Document
      title={`${site.brandName}: gateway de pagamentos para alto volume e alto risco`}
      description="Cartões, débito e PIX para alto volume e nichos de alto risco."
      assets={assets}
    >
      <LandingPage site={site} />
    </Document>,
  )
}

export function renderErrorPage(site: SiteInfo, assets: DocumentAssets, status: 404 | 500): string {
  return toHtml(
    <Document title={site.brandName} description="" assets={{ ...assets, bootScript: null }}>
      <ErrorPage site={site} status={status} />
    </Document>,
  )
}

function toHtml(document: React.ReactElement): string {
  return `<!doctype html>${renderToStaticMarkup(document)}`
}
