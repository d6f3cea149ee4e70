import type { SiteInfo } from '#contract/site.ts'
import { ConsentBanner } from '../browser/consent/consent-banner.tsx'
import { EMAIL_NOTICE } from '../content/email-notice.ts'
import { About } from '../sections/about.tsx'
import { Benefits } from '../sections/benefits.tsx'
import { Closing } from '../sections/closing.tsx'
import { Footer } from '../sections/footer.tsx'
import { Header } from '../sections/header.tsx'
import { Hero } from '../sections/hero.tsx'
import { Niches } from '../sections/niches.tsx'
import { Services } from '../sections/services.tsx'
import { JsonLd } from './json-ld.tsx'
import { structuredData } from './structured-data.ts'

interface LandingPageProps {
  site: SiteInfo
  logo: string
  /** Answer to a newsletter form that was posted without JavaScript. */
  newsletterMessage?: string
}

export function LandingPage({ site, logo, newsletterMessage }: LandingPageProps) {
  return (
    <>
      <a className="skip" href="#main">
        Ir para o conteúdo
      </a>
      <Header site={site} />
      <main id="main">
        <Hero site={site} />
        <About />
        <Services />
        <Niches site={site} />
        <Benefits site={site} />
        <Closing site={site} />
      </main>
      <Footer site={site} message={newsletterMessage ?? null} />
      <ConsentBanner more={site.sendsEmail ? EMAIL_NOTICE : ''} />
      <JsonLd value={structuredData(site, logo)} />
    </>
  )
}
