/** The four kinds of the cookie policy; the names are those that the visitor reads. */
export const CONSENT_CATEGORIES = ['essenciais', 'desempenho', 'funcionalidade', 'marketing'] as const
export type ConsentCategory = (typeof CONSENT_CATEGORIES)[number]

/** What a visitor may refuse. A tag is always one of these: what the site needs to work is not a vendor's code. */
export type OptionalCategory = Exclude<ConsentCategory, 'essenciais'>

/** As an administrator chooses among them for a tag. */
export const TAG_CATEGORY_LABELS: Record<OptionalCategory, string> = {
  desempenho: 'Desempenho',
  funcionalidade: 'Funcionalidade',
  marketing: 'Marketing',
}
