/** The four kinds of the cookie policy; the names are those that the visitor reads. */
export const CONSENT_CATEGORIES = ['essenciais', 'desempenho', 'funcionalidade', 'marketing'] as const
export type ConsentCategory = (typeof CONSENT_CATEGORIES)[number]

/** Categories that a visitor may refuse. */
export const OPTIONAL_CATEGORIES = ['desempenho', 'funcionalidade', 'marketing'] as const
export type OptionalCategory = (typeof OPTIONAL_CATEGORIES)[number]

/** Google Consent Mode v2 storage types that each category grants. */
export const GOOGLE_CONSENT_TYPES: Record<ConsentCategory, readonly string[]> = {
  essenciais: ['security_storage'],
  desempenho: ['analytics_storage'],
  funcionalidade: ['functionality_storage', 'personalization_storage'],
  marketing: ['ad_storage', 'ad_user_data', 'ad_personalization'],
}

/** Raised when the wording of banner or preferences changes: a changed premise needs new consent (LGPD art. 8 §6). */
export const CONSENT_TEXT_VERSION = 1

export const CONSENT_COOKIE = 'portico_consent'
/** The ANPD guide names no period; 182 days is our choice. */
export const CONSENT_MAX_AGE_DAYS = 182
