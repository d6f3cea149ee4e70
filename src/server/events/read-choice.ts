import {
  CONSENT_COOKIE,
  CONSENT_TEXT_VERSION,
  type ConsentChoice,
  parseConsent,
} from '#contract/consent-choice.ts'
import { readCookie } from '#server/http/read-cookie.ts'

/** A choice that was made on another text has to be made again, and counts for nothing until then. */
export function readChoice(cookieHeader: string | undefined): ConsentChoice | null {
  const choice = parseConsent(readCookie(cookieHeader, CONSENT_COOKIE) ?? '')
  return choice === null || choice.textVersion !== CONSENT_TEXT_VERSION ? null : choice
}
