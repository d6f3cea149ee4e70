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
  writeCookie(`${CONSENT_COOKIE}=${formatConsent(choice)}`, CONSENT_MAX_AGE_DAYS * 86_400)
}

export function writeCookie(cookie: string, maxAge: number): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet.
  document.cookie = `${cookie}; Path=/; Max-Age=${maxAge}; SameSite=Lax${secure}`
}
