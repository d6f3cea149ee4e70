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
