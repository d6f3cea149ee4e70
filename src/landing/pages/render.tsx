import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import type { SummaryPageState } from '#contract/alerts.ts'
import { OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import type { ActiveToolList, Dossier } from '#contract/inventory.ts'
import type { EmailSharing, SiteInfo } from '#contract/site.ts'
import { FEES_PATH, nichePath } from '#contract/site-content.ts'
import * as texts from '../browser/consent/notice.tsx'
import { ConsentBanner, emailNotice, PreferencesDialog } from '../browser/consent/notice.tsx'
import { FACTS, SHARING } from '../content/page.ts'
import { type LegalSlug, legalTitle } from '../legal/document.ts'
import { legalPagePath } from '../legal/legal-paths.ts'
import { LEGAL_DOCUMENTS } from '../legal/texts.ts'
import { Document, type DocumentAssets } from './document.tsx'
import { DossierPage } from './dossier/dossier-page.tsx'
import { FeesPage } from './fees-page.tsx'
import { LandingPage } from './landing-page.tsx'
import { NichePage, nicheName } from './niche-page.tsx'
import { ERROR_TEXTS, ErrorPage, LegalPage, SUMMARY_TEXTS, SummaryPage } from './plain-pages.tsx'

export { withActiveTools } from '../legal/active-tools.tsx'
export { LEGAL_TITLES } from '../legal/document.ts'
export { legalJsonPath, legalPagePath } from '../legal/legal-paths.ts'
export { LEGAL_DOCUMENTS } from '../legal/texts.ts'
export { renderLlmsText } from './landing-page.tsx'
export { renderLazyDrawings } from './lazy-drawings.tsx'

/** The text shown to a visitor, as stored for proof: every word in order, and banner and preferences as HTML. */
interface ConsentNotice {
  version: number
  language: string
  text: string
  html: string
}

/** The text that visitors see while addresses are shared like this. */
export function renderConsentNotice(version: number, sharing: EmailSharing | null): ConsentNotice {
  const nothing = () => {}
  const more = emailNotice(sharing)
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
          objects={null}
          choose={nothing}
          onClose={nothing}
        />
      </>,
    ),
  }
}

/** Entry of the server's bundle: everything that the server renders with React. */
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

/** A page for each niche that the content file describes, by path. They run tags as the landing page does. */
export function renderNichePages(site: SiteInfo, assets: DocumentAssets): [path: string, html: string][] {
  return (site.content?.niches ?? []).map((niche) => [
    nichePath(niche.slug),
    toHtml(
      <Document
        site={site}
        assets={assets}
        title={`${nicheName(niche.slug)}: ${niche.headline} | ${site.brandName}`}
        description={niche.intro}
        path={nichePath(niche.slug)}
      >
        <NichePage site={site} niche={niche} />
      </Document>,
    ),
  ])
}

/** Fees and simulator. `query` is the typed form, without the question mark. */
export function renderFeesPage(site: SiteInfo, assets: DocumentAssets, query: string): string | null {
  const fees = site.content?.fees
  if (fees === undefined) return null
  return toHtml(
    <Document
      site={site}
      assets={{ ...plain(assets), css: assets.plainCss + assets.contentCss }}
      title={`Taxas e simulador | ${site.brandName}`}
      description={FACTS.fees.text}
      path={FEES_PATH}
    >
      <FeesPage site={site} fees={fees} query={query} />
    </Document>,
  )
}

/** The response to a form post without JavaScript: the page with a message at the form. */
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

/** The page behind the link that ends the summary of the week. */
export function renderSummaryPage(site: SiteInfo, assets: DocumentAssets, state: SummaryPageState): string {
  return toHtml(
    <Document
      site={site}
      assets={plain(assets)}
      title={`${SUMMARY_TEXTS[state].title} | ${site.brandName}`}
      description={SUMMARY_TEXTS[state].text}
      path={null}
    >
      <SummaryPage site={site} state={state} />
    </Document>,
  )
}

export function renderDossier(dossier: Dossier): string {
  return toHtml(<DossierPage dossier={dossier} />)
}

/** Plain pages need neither the landing page's style nor scripts. */
function plain(assets: DocumentAssets): DocumentAssets {
  return { ...assets, css: assets.plainCss, bootScript: null }
}

function toHtml(document: ReactElement): string {
  // Shapes of a drawing may be self-closing, which the renderer does not do.
  return `<!doctype html>${renderToStaticMarkup(document).replace(/><\/(path|rect|circle|use|stop)>/g, '/>')}`
}
