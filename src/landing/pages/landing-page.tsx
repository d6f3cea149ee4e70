import type { SiteInfo } from '#contract/site.ts'
import { ConsentBanner, emailNotice } from '../browser/consent/notice.tsx'
import { ABOUT, BENEFITS, FOOTER, HERO, NICHES, QUESTIONS, SERVICES, TECHNOLOGY } from '../content/page.ts'
import { LEGAL_TITLES } from '../legal/document.ts'
import { legalPagePath } from '../legal/legal-paths.ts'
import { About, Benefits, Closing, Niches } from '../sections/body.tsx'
import { Facts } from '../sections/facts.tsx'
import { Footer } from '../sections/footer.tsx'
import { Header } from '../sections/header.tsx'
import { Hero } from '../sections/hero.tsx'
import { whatsappUrl } from '../sections/parts.tsx'
import { Services } from '../sections/services.tsx'

interface LandingPageProps {
  site: SiteInfo
  logo: string
  /** Response to a newsletter form posted without JavaScript. */
  newsletterMessage?: string
}

export function LandingPage({ site, logo, newsletterMessage }: LandingPageProps) {
  return (
    <>
      <a className="skip" href="#main">
        Pular para o conteúdo
      </a>
      <Header site={site} />
      <main id="main">
        <Hero site={site} />
        <About />
        <Services />
        <Niches site={site} />
        <Benefits site={site} />
        {site.content && <Facts content={site.content} />}
        <Closing site={site} />
      </main>
      <Footer site={site} message={newsletterMessage ?? null} />
      <ConsentBanner more={emailNotice(site.emailSharing)} />
      <JsonLd value={structuredData(site, logo)} />
    </>
  )
}

/** Data that no browser runs. `<` is escaped so that no value can close the element. */
function JsonLd({ value }: { value: object }) {
  const json = JSON.stringify(value).replaceAll('<', '\\u003c')
  // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON whose "<" is escaped, in an element that is not run.
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />
}

/** The page for programs (llmstxt.org): same text, same source. */
export function renderLlmsText(site: SiteInfo): string {
  const figures = [...ABOUT.figures, ...TECHNOLOGY.figures].map(({ label, value }) => `${label}: ${value}`)
  return `${[
    `# ${site.brandName}`,
    `> ${FOOTER.blurb} ${HERO.lead}`,
    ABOUT.mission,
    list('Números', [...new Set(figures)]),
    list(
      'Serviços',
      SERVICES.cards.map(
        ({ id, title, features }) => `[${title}](${site.siteUrl}/#${id}): ${features.join('; ')}`,
      ),
    ),
    list(
      'Nichos',
      NICHES.cards.map(({ id, name, text }) => `[${name}](${site.siteUrl}/#${id}): ${text}`),
    ),
    list(
      'Benefícios',
      BENEFITS.cards.map(({ title, text }) => `${title}: ${text}`),
    ),
    list(
      QUESTIONS.title,
      QUESTIONS.list.map(({ question, answer }) => `${question} ${answer}`),
    ),
    list('Contato', [
      `[Abrir conta](${site.registerUrl})`,
      `[Falar com especialista no WhatsApp](${whatsappUrl(site)})`,
      `E-mail: ${site.contactEmail}`,
      `Telefone: ${site.contactPhone}`,
      FOOTER.city,
    ]),
    list(
      'Documentos',
      LEGAL_TITLES.map(({ slug, title }) => `[${title}](${site.siteUrl}${legalPagePath(slug)})`),
    ),
  ].join('\n\n')}\n`
}

function list(title: string, items: string[]): string {
  return [`## ${title}`, '', ...items.map((item) => `- ${item}`)].join('\n')
}

/** Facts for search engines: who runs the site and how to reach them (schema.org). */
function structuredData(site: SiteInfo, logo: string): object {
  const organization = `${site.siteUrl}/#organization`
  const networks = [site.linkedinUrl, site.instagramUrl].filter((url) => url !== null)
  return {
    '@context': 'https://schema.org',
    '@graph': [
      {
        '@type': 'Organization',
        '@id': organization,
        name: site.brandName,
        ...(site.legalName === null ? {} : { legalName: site.legalName }),
        ...(site.cnpj === null ? {} : { taxID: site.cnpj }),
        url: site.siteUrl,
        logo: site.siteUrl + logo,
        description: FOOTER.blurb,
        email: site.contactEmail,
        telephone: site.contactPhone,
        address: { '@type': 'PostalAddress', addressLocality: 'São Paulo', addressCountry: 'BR' },
        ...(networks.length === 0 ? {} : { sameAs: networks }),
      },
      {
        '@type': 'WebSite',
        name: site.brandName,
        url: site.siteUrl,
        inLanguage: 'pt-BR',
        publisher: { '@id': organization },
      },
      {
        '@type': 'FAQPage',
        mainEntity: QUESTIONS.list.map(({ question, answer }) => ({
          '@type': 'Question',
          name: question,
          acceptedAnswer: { '@type': 'Answer', text: answer },
        })),
      },
    ],
  }
}
