import type { SiteInfo } from '#contract/site.ts'
import { ABOUT } from '../content/about.ts'
import { BENEFITS, TECHNOLOGY } from '../content/benefits.ts'
import { QUESTIONS } from '../content/closing.ts'
import { FOOTER } from '../content/footer.ts'
import { HERO } from '../content/hero.ts'
import { NICHES } from '../content/niches.ts'
import { whatsappUrl } from '../content/outside-links.ts'
import { SERVICES } from '../content/services.ts'
import { legalPagePath } from '../legal/legal-paths.ts'
import { LEGAL_TITLES } from '../legal/legal-titles.ts'

/** The page for programs that read (llmstxt.org): same copy, same source. */
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
