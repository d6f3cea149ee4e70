import type { SiteInfo } from '#contract/site.ts'
import { QUESTIONS } from '../content/closing.ts'
import { FOOTER } from '../content/footer.ts'

/** What search engines may know for certain: who runs the site and how to reach them (schema.org). */
export function structuredData(site: SiteInfo, logo: string): object {
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
