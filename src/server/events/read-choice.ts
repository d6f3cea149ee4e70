import {
  CONSENT_COOKIE,
  CONSENT_TEXT_VERSION,
  type ConsentChoice,
  countsOnText,
  EMAIL_TEXT_VERSION,
  parseConsent,
} from '#contract/consent-choice.ts'
import { readCookie } from '#server/http/read-cookie.ts'

/** What the visitor agreed to, as their own cookie says; null where it counts for nothing. */
export function readChoice(cookieHeader: string | undefined): ConsentChoice | null {
  const choice = parseConsent(readCookie(cookieHeader, CONSENT_COOKIE) ?? '')
  return choice === null || !countsOnText(choice.textVersion, CONSENT_TEXT_VERSION) ? null : choice
}

/** Only who was told that the address of a subscription is passed on can have agreed to it. */
export function allowsEmail({ textVersion, granted }: ConsentChoice): boolean {
  return textVersion === EMAIL_TEXT_VERSION && granted.includes('marketing')
}
