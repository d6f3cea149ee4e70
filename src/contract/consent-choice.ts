import type { ConsentCategory, OptionalCategory } from './consent.ts'

// Only types are imported from `consent.ts`: a module shared by the page's first script and the dashboard would become
// a separate file.
/** Categories that a visitor may refuse. */
export const OPTIONAL_CATEGORIES = [
  'desempenho',
  'funcionalidade',
  'marketing',
] as const satisfies OptionalCategory[]

/** Google Consent Mode v2 storage types that each category grants. */
export const GOOGLE_CONSENT_TYPES: Record<ConsentCategory, readonly string[]> = {
  essenciais: ['security_storage'],
  desempenho: ['analytics_storage'],
  funcionalidade: ['functionality_storage', 'personalization_storage'],
  marketing: ['ad_storage', 'ad_user_data', 'ad_personalization'],
}

/**
 * The text that names no recipient. Raised past every version below when the wording of banner or preferences changes:
 * changed wording needs new consent (LGPD art. 8 §6).
 */
export const CONSENT_TEXT_VERSION = 3

/**
 * Destinations that may get hashed addresses. While active pixels send them, the text has one more sentence with their
 * names: each adds its bit to the version, so each set of names is another text. New ones only at the end.
 */
export const EMAIL_RECIPIENTS = ['meta', 'tiktok', 'google_ads', 'pinterest', 'linkedin'] as const

export type EmailRecipient = (typeof EMAIL_RECIPIENTS)[number]

export function textVersionFor(recipients: readonly EmailRecipient[]): number {
  return (
    CONSENT_TEXT_VERSION +
    EMAIL_RECIPIENTS.reduce((bits, id, at) => bits | (recipients.includes(id) ? 1 << at : 0), 0)
  )
}

/** The recipients that a text names; none if this release does not know it. */
export function recipientsNamedBy(textVersion: number): EmailRecipient[] {
  return EMAIL_RECIPIENTS.filter((id) => countsOnText(textVersion, textVersionFor([id])))
}

/** How many there are, as a number, because the page's script has no room for the list. */
const RECIPIENTS = 5

/**
 * A choice counts on its own text, and on each that names no other recipient. Otherwise it must be made again and does
 * not count until then.
 */
export function countsOnText(textVersion: number, needed: number): boolean {
  const named = textVersion - CONSENT_TEXT_VERSION
  const missing = (needed - CONSENT_TEXT_VERSION) & ~named
  // Other bits are those of a text that this release does not know. A negative number has them too.
  return !(missing | (named >> RECIPIENTS))
}

export const CONSENT_COOKIE = 'portico_consent'

/** In the browser's storage: bodies of records that the server has not acknowledged, oldest first. */
export const UNSENT_RECORDS = 'portico_consent_unsent'

/** In the browser's storage: names of the cookies and keys from before any tag ran. */
export const BEFORE_TAGS = 'portico_before_tags'

/** The ANPD guide names no period; 182 days is our choice. */
export const CONSENT_MAX_AGE_DAYS = 182

/** One letter per category, for the cookie and the page's attribute. */
const LETTERS: Record<string, ConsentCategory> = {
  e: 'essenciais',
  d: 'desempenho',
  f: 'funcionalidade',
  m: 'marketing',
}

export function toLetters(categories: readonly ConsentCategory[]): string {
  return Object.keys(LETTERS)
    .filter((letter) => categories.includes(LETTERS[letter] as ConsentCategory))
    .join('')
}

export function fromLetters(letters: string): ConsentCategory[] {
  return [...letters].flatMap((letter) => LETTERS[letter] ?? [])
}

/** The content of the consent cookie. */
export interface ConsentChoice {
  textVersion: number
  /** Optional categories that the visitor accepted. */
  granted: ConsentCategory[]
  /** Optional categories that had a tag when the visitor was asked; a new one asks again. */
  asked: ConsentCategory[]
  /** Random and part of the record: proves a choice without identifying the person. */
  id: string
}

export function formatConsent(choice: ConsentChoice): string {
  return [choice.textVersion, toLetters(choice.granted), toLetters(choice.asked), choice.id].join('.')
}

export function parseConsent(value: string): ConsentChoice | null {
  const match = /^(\d{1,7})\.([dfm]{0,3})\.([dfm]{0,3})\.([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/.exec(
    value,
  )
  if (match === null) return null
  // Each group takes part in every match.
  const [, version, granted, asked, id] = match as string[] as [string, string, string, string, string]
  return { textVersion: +version, granted: fromLetters(granted), asked: fromLetters(asked), id }
}

export const CONSENT_PATH = '/api/consent'

export const CONSENT_ACTIONS = ['accept_all', 'reject', 'save', 'revoke'] as const

export type ConsentAction = (typeof CONSENT_ACTIONS)[number]

/** The visitor's own receipt, identified by the cookie. */
export const RECEIPT_PATH = '/api/consent/receipt'
