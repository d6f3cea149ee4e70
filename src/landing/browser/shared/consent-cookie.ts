import {
  CONSENT_COOKIE,
  CONSENT_MAX_AGE_DAYS,
  type ConsentChoice,
  formatConsent,
  parseConsent,
} from '#contract/consent-choice.ts'

export function readConsentCookie(): ConsentChoice | null {
  const prefix = `${CONSENT_COOKIE}=`
  const found = document.cookie.split('; ').find((cookie) => cookie.startsWith(prefix))
  return found === undefined ? null : parseConsent(found.slice(prefix.length))
}

/** The only place that writes it. */
export function writeConsentCookie(choice: ConsentChoice): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet.
  document.cookie = `${CONSENT_COOKIE}=${formatConsent(choice)}; Path=/; Max-Age=${CONSENT_MAX_AGE_DAYS * 86_400}; SameSite=Lax${secure}`
}

/** In the browser's storage: names of the cookies that were there before any tag ran. */
export const BEFORE_TAGS = 'portico_before_tags'

/** With the first agreement: other sites of a parent domain have cookies here too, and they are not the tags'. */
export function noteCookiesBeforeTags(): void {
  try {
    localStorage[BEFORE_TAGS] = cookieNames().join(';')
  } catch {
    // A browser without storage, or with a full one: then only what is known by name will be deleted.
  }
}

export function cookieNames(): string[] {
  return document.cookie.split('; ').map((cookie) => cookie.split('=', 1)[0] ?? '')
}
