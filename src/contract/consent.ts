/** The four kinds of the cookie policy; the names are those that the visitor reads. */
export const CONSENT_CATEGORIES = ['essenciais', 'desempenho', 'funcionalidade', 'marketing'] as const
export type ConsentCategory = (typeof CONSENT_CATEGORIES)[number]

/** As an administrator chooses among them. */
export const CONSENT_CATEGORY_LABELS: Record<ConsentCategory, string> = {
  essenciais: 'Essenciais: roda sem perguntar',
  desempenho: 'Desempenho',
  funcionalidade: 'Funcionalidade',
  marketing: 'Marketing',
}
