import { legalPagePath } from '#landing/legal/legal-paths.ts'
import { CONSENT_TEXTS } from './consent-texts.ts'

/** `more` is said beyond the ordinary words. Hidden until the boot script finds that there is something to ask: without scripts no tag runs, and nothing is asked. */
export function ConsentBanner({ more = '' }: { more?: string }) {
  return (
    <section className="consent" aria-label={CONSENT_TEXTS.region} hidden>
      <p>
        {CONSENT_TEXTS.question} {more === '' ? null : <span>{more} </span>}
        <a href={legalPagePath('cookies')} data-legal="cookies">
          {CONSENT_TEXTS.policy}
        </a>
      </p>
      <div className="choices">
        <button type="button" className="btn" data-consent="accept_all">
          {CONSENT_TEXTS.acceptAll}
        </button>
        <button type="button" className="btn" data-consent="reject">
          {CONSENT_TEXTS.reject}
        </button>
        <button type="button" className="btn" data-consent="choose">
          {CONSENT_TEXTS.choose}
        </button>
      </div>
    </section>
  )
}
