import { CONSENT_TEXT_VERSION, EMAIL_TEXT_VERSION } from '#contract/consent-choice.ts'
import { EMAIL_NOTICE } from '../content/email-notice.ts'

/** One of the texts that visitors are asked with. */
interface ConsentNotice {
  version: number
  /** Said in banner and preferences beyond `CONSENT_TEXTS`; empty in the ordinary text. */
  more: string
  /** When it is the one that is shown. */
  sendsEmail: boolean
}

/** Every text that this version of the program can ask with. */
export function listConsentNotices(): ConsentNotice[] {
  return [
    { version: CONSENT_TEXT_VERSION, more: '', sendsEmail: false },
    { version: EMAIL_TEXT_VERSION, more: EMAIL_NOTICE, sendsEmail: true },
  ]
}
