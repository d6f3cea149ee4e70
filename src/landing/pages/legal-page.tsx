import type { SiteInfo } from '#contract/site.ts'
import { copyrightLine } from '../content/footer.ts'
import { LEGAL_DOCUMENTS } from '../legal/legal-documents.ts'
import { legalPagePath } from '../legal/legal-paths.ts'
import { LegalText } from '../legal/legal-text.tsx'
import { LEGAL_DATE, LEGAL_TITLES, type LegalSlug, legalTitle } from '../legal/legal-titles.ts'
import { CompanyLine } from '../parts/company-line.tsx'
import { PlainHeader } from '../parts/plain-header.tsx'

export function LegalPage({ site, slug }: { site: SiteInfo; slug: LegalSlug }) {
  return (
    <>
      <PlainHeader className="dark plain" brandName={site.brandName} />
      <main className="sheet wrap">
        <h1>{legalTitle(slug)}</h1>
        <p className="date">{LEGAL_DATE}</p>
        <div className="doc">
          <LegalText document={LEGAL_DOCUMENTS[slug](site)} heading="h2" />
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
