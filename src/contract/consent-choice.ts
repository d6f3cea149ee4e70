import type { ConsentCategory, OptionalCategory } from './consent.ts'

// Only types come from `consent.ts`: what the page's first script shares with the dashboard would become a file of its own.
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

/** Raised when the wording of banner or preferences changes: a changed premise needs new consent (LGPD art. 8 §6). */
export const CONSENT_TEXT_VERSION = 3

/**
 * The same text and one more sentence, shown while an active pixel sends a hash of each subscriber's address. A choice made
 * on it also counts on the shorter text.
 */
export const EMAIL_TEXT_VERSION = 4

/** A choice that was made on another text has to be made again, and counts for nothing until then. */
export function countsOnText(textVersion: number, needed: number): boolean {
  return textVersion === needed || textVersion === EMAIL_TEXT_VERSION
}

export const CONSENT_COOKIE = 'portico_consent'

/** The ANPD guide names no period; 182 days is our choice. */
export const CONSENT_MAX_AGE_DAYS = 182

/** One letter per category, for the cookie and for the page's own attribute. */
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

/** What the consent cookie remembers. */
export interface ConsentChoice {
  textVersion: number
  /** Optional categories that the visitor agreed to. */
  granted: ConsentCategory[]
  /** Optional categories that had a tag when the visitor was asked; one that is not here asks again. */
  asked: ConsentCategory[]
  /** Random, and on the record: how a choice can be proved without knowing who made it. */
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

/** The visitor's own receipt: whose it is, the browser's cookie says. */
export const RECEIPT_PATH = '/api/consent/receipt'
