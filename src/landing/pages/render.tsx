import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { CONSENT_TEXT_VERSION, EMAIL_TEXT_VERSION, OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import type { ActiveToolList, Dossier } from '#contract/inventory.ts'
import type { SiteInfo } from '#contract/site.ts'
import * as texts from '../browser/consent/notice.tsx'
import { ConsentBanner, EMAIL_NOTICE, PreferencesDialog } from '../browser/consent/notice.tsx'
import { SHARING } from '../content/page.ts'
import { type LegalSlug, legalTitle } from '../legal/document.ts'
import { legalPagePath } from '../legal/legal-paths.ts'
import { LEGAL_DOCUMENTS } from '../legal/texts.ts'
import { Document, type DocumentAssets } from './document.tsx'
import { DossierPage } from './dossier/dossier-page.tsx'
import { LandingPage } from './landing-page.tsx'
import { ERROR_TEXTS, ErrorPage, LegalPage } from './plain-pages.tsx'

export { withActiveTools } from '../legal/active-tools.tsx'
export { LEGAL_TITLES } from '../legal/document.ts'
export { legalJsonPath, legalPagePath } from '../legal/legal-paths.ts'
export { LEGAL_DOCUMENTS } from '../legal/texts.ts'
export { renderLlmsText } from './landing-page.tsx'

/** What a visitor is asked with, as it is kept for proof: every word in its order, and banner and preferences as HTML. */
interface ConsentNotice {
  version: number
  language: string
  text: string
  html: string
}

/** Every text that this version of the program can ask with; which one is shown, the tags decide. */
export function renderConsentNotices(): ConsentNotice[] {
  return [renderNotice(CONSENT_TEXT_VERSION, ''), renderNotice(EMAIL_TEXT_VERSION, EMAIL_NOTICE)]
}

function renderNotice(version: number, more: string): ConsentNotice {
  const nothing = () => {}
  return {
    version,
    language: 'pt-BR',
    text: [
      texts.REGION,
      texts.QUESTION,
      ...(more === '' ? [] : [more]),
      texts.ACCEPT_ALL,
      texts.REJECT,
      texts.CHOOSE,
      texts.TITLE,
      texts.INTRO,
      texts.SAVE,
      texts.ALWAYS,
      texts.UNUSED,
      texts.POLICY,
      ...texts.KINDS.map(([name, text]) => `${name}: ${text}`),
    ].join('\n'),
    html: renderToStaticMarkup(
      <>
        <ConsentBanner more={more} />
        <PreferencesDialog
          granted={[]}
          inUse={OPTIONAL_CATEGORIES}
          more={more}
          choose={nothing}
          onClose={nothing}
        />
      </>,
    ),
  }
}

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
