import { renderToStaticMarkup } from 'react-dom/server'
import { CONSENT_TEXT_VERSION, OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import { ConsentBanner } from '../browser/consent/consent-banner.tsx'
import * as texts from '../browser/consent/consent-texts.ts'
import { PreferencesDialog } from '../browser/consent/preferences-dialog.tsx'

/** What a visitor is asked with, as it is kept for proof: every word in its order, and banner and preferences as HTML. */
interface ConsentNotice {
  version: number
  language: string
  text: string
  html: string
}

export function renderConsentNotice(): ConsentNotice {
  const nothing = () => {}
  return {
    version: CONSENT_TEXT_VERSION,
    language: 'pt-BR',
    text: [
      texts.REGION,
      texts.QUESTION,
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
        <ConsentBanner />
        <PreferencesDialog granted={[]} inUse={OPTIONAL_CATEGORIES} choose={nothing} onClose={nothing} />
      </>,
    ),
  }
}
