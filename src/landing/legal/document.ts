import type { SiteInfo } from '#contract/site.ts'

/** What the texts need to know of the company. */
export type LegalFacts = Pick<
  SiteInfo,
  | 'brandName'
  | 'contactEmail'
  | 'legalName'
  | 'cnpj'
  | 'dpoEmail'
  | 'retention'
  | 'logsRequests'
  | 'countsVisits'
  | 'emailSharing'
>

/** A paragraph, or the items of a list. */
export type LegalBlock = string | readonly string[]

export interface LegalDocument {
  intro: string
  sections: readonly { title: string; blocks: readonly LegalBlock[] }[]
}

export function companyName({ brandName, legalName, cnpj }: LegalFacts): string {
  const registered = [legalName, cnpj === null ? null : `CNPJ ${cnpj}`].filter((part) => part !== null)
  return registered.length === 0 ? brandName : `${brandName} (${registered.join(', ')})`
}

/** `a Meta, o TikTok e o Google` */
export function joinNames(names: readonly string[]): string {
  return new Intl.ListFormat('pt-BR').format(names)
}

/** Each document is a page at `/<slug>` and a dialog of the footer. */
export const LEGAL_TITLES = [
  { slug: 'privacidade', title: 'Política de Privacidade' },
  { slug: 'termos', title: 'Termos de Uso' },
  { slug: 'cookies', title: 'Política de Cookies' },
  { slug: 'compliance', title: 'Compliance' },
] as const

export type LegalSlug = (typeof LEGAL_TITLES)[number]['slug']

export const LEGAL_DATE = 'Agosto de 2025'

export function legalTitle(slug: LegalSlug): string {
  return LEGAL_TITLES.find((entry) => entry.slug === slug)?.title ?? ''
}
