import { legalPagePath } from '#landing/legal/legal-paths.ts'
import { ACCEPT_ALL, CHOOSE, POLICY, QUESTION, REGION, REJECT } from './consent-texts.ts'

/** `more` is said beyond the ordinary words. Hidden until the boot script finds that there is something to ask: without scripts no tag runs, and nothing is asked. */
export function ConsentBanner({ more = '' }: { more?: string }) {
  return (
    <section className="consent" aria-label={REGION} hidden>
      <p>
        {QUESTION} {more === '' ? null : <b>{more} </b>}
        <a href={legalPagePath('cookies')} data-legal="cookies">
          {POLICY}
        </a>
      </p>
      <div className="choices">
        <button type="button" className="btn" data-consent="accept_all">
          {ACCEPT_ALL}
        </button>
        <button type="button" className="btn" data-consent="reject">
          {REJECT}
        </button>
        <button type="button" className="btn" data-consent="choose">
          {CHOOSE}
        </button>
      </div>
    </section>
  )
}
