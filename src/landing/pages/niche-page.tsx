import type { SiteInfo } from '#contract/site.ts'
import type { NicheContent } from '#contract/site-content.ts'
import { ConsentBanner, emailNotice } from '../browser/consent/notice.tsx'
import { NICHES, QUESTIONS, REGISTER_LABEL } from '../content/page.ts'
import { Facts } from '../sections/facts.tsx'
import { Footer } from '../sections/footer.tsx'
import { Header } from '../sections/header.tsx'
import { RegisterLink, SpecialistLink } from '../sections/parts.tsx'

/** The page of one niche: same header, footer, consent and tags as the landing page. */
export function NichePage({ site, niche }: { site: SiteInfo; niche: NicheContent }) {
  const name = nicheName(niche.slug)
  return (
    <>
      <a className="skip" href="#main">
        Pular para o conteúdo
      </a>
      <Header site={site} home="/" />
      <main id="main">
        <section className="dark niche">
          <div className="wrap">
            <p className="badge">{name}</p>
            <h1>{niche.headline}</h1>
            <p className="lead">{niche.intro}</p>
            <div className="row">
              <RegisterLink site={site} label={REGISTER_LABEL} tone="go" />
              <SpecialistLink site={site} niche={name} />
            </div>
          </div>
        </section>
        <section className="wrap">
          <div className="why">
            {niche.points.map(({ title, text }) => (
              <div key={title}>
                <h2>{title}</h2>
                <p>{text}</p>
              </div>
            ))}
          </div>
        </section>
        {site.content?.fees && <Facts content={{ fees: site.content.fees }} />}
        {niche.questions && (
          <section className="sec wrap asked">
            <h2>{QUESTIONS.title}</h2>
            {niche.questions.map(({ question, answer }) => (
              <details key={question}>
                <summary>{question}</summary>
                <p>{answer}</p>
              </details>
            ))}
          </section>
        )}
        <p className="wrap others">
          <a href="/#niches">Ver todos os nichos</a>
        </p>
      </main>
      <Footer site={site} home="/" niche={name} />
      <ConsentBanner more={emailNotice(site.emailSharing)} />
    </>
  )
}

export function nicheName(slug: string): string {
  return NICHES.cards.find(({ id }) => id === slug)?.name ?? slug
}
