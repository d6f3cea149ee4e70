import { renderToStaticMarkup } from 'react-dom/server'
import { CONSENT_TEXT_VERSION, EMAIL_TEXT_VERSION, OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import { ConsentBanner } from '../browser/consent/consent-banner.tsx'
import * as texts from '../browser/consent/consent-texts.ts'
import { PreferencesDialog } from '../browser/consent/preferences-dialog.tsx'
import { EMAIL_NOTICE } from '../content/email-notice.ts'

/** What a visitor is asked with, as it is kept for proof: every word in its order, and banner and preferences as HTML. */
interface ConsentNotice {
  version: number
  language: string
  text: string
  html: string
}

/** Every text that this version of the program can ask with; which one is shown, the tags decide. */
export function renderConsentNotices(): ConsentNotice[] {
  return [renderNotice(CONSENT_TEXT_VERSION, ''), renderNotice(EMAIL_TEXT_VERSION, EMAIL_NOTICE)]
}

function renderNotice(version: number, more: string): ConsentNotice {
  const nothing = () => {}
  return {
    version,
    language: 'pt-BR',
    text: [
      texts.REGION,
      texts.QUESTION,
      ...(more === '' ? [] : [more]),
      texts.ACCEPT_ALL,
      texts.REJECT,
      texts.CHOOSE,
      texts.TITLE,
      texts.INTRO,
      texts.SAVE,
      texts.ALWAYS,
      texts.UNUSED,
      texts.POLICY,
      ...texts.KINDS.map(([name, text]) => `${name}: ${text}`),
    ].join('\n'),
    html: renderToStaticMarkup(
      <>
        <ConsentBanner more={more} />
        <PreferencesDialog
          granted={[]}
          inUse={OPTIONAL_CATEGORIES}
          more={more}
          choose={nothing}
          onClose={nothing}
        />
      </>,
    ),
  }
}
