import type { ActiveToolList } from '#contract/inventory.ts'
import type { SiteInfo } from '#contract/site.ts'
import { copyrightLine } from '../content/footer.ts'
import { LEGAL_DOCUMENTS } from '../legal/legal-documents.ts'
import { legalPagePath } from '../legal/legal-paths.ts'
import { LegalText } from '../legal/legal-text.tsx'
import { LEGAL_DATE, LEGAL_TITLES, type LegalSlug, legalTitle } from '../legal/legal-titles.ts'
import { CompanyLine } from '../parts/company-line.tsx'
import { PlainHeader } from '../parts/plain-header.tsx'
import { ActiveTools } from './active-tools.tsx'

interface LegalPageProps {
  site: SiteInfo
  slug: LegalSlug
  /** What the cookie policy ends with. */
  tools?: ActiveToolList | undefined
}

export function LegalPage({ site, slug, tools }: LegalPageProps) {
  const document = LEGAL_DOCUMENTS[slug](site)
  return (
    <>
      <PlainHeader className="dark plain" brandName={site.brandName} />
      <main className="sheet wrap">
        <h1>{legalTitle(slug)}</h1>
        <p className="date">{LEGAL_DATE}</p>
        <div className="doc">
          {tools === undefined ? null : (
            <p className="jump">
              <a href="#agora">Ver as ferramentas que estão no site agora</a>
            </p>
          )}
          <LegalText document={document} heading="h2" />
          {tools === undefined ? null : (
            <ActiveTools list={tools} site={site} number={document.sections.length + 1} />
          )}
        </div>
      </main>
      <footer className="dark">
        <div className="wrap foot">
          <div className="legal links">
            <p>{copyrightLine(site.brandName)}</p>
            {LEGAL_TITLES.map((entry) => (
              <a
                key={entry.slug}
                href={legalPagePath(entry.slug)}
                aria-current={entry.slug === slug ? 'page' : undefined}
              >
                {entry.title}
              </a>
            ))}
            <CompanyLine site={site} />
          </div>
        </div>
      </footer>
    </>
  )
}
