import type { ConsentCategory, OptionalCategory } from '#contract/consent.ts'
import { CONSENT_PATH, type ConsentAction } from '#contract/consent-choice.ts'
import type { ConsentRecord } from '#contract/consent-record.ts'
import { readConsentCookie, writeConsentCookie } from '../shared/consent-cookie.ts'
import { noteCookiesBeforeTags } from '../shared/cookies-before-tags.ts'
import { randomId } from '../shared/random-id.ts'
import type { TagSet } from '../shared/tag-set.ts'
import { updateGoogleConsent } from './google-consent.ts'

/** Stores the choice, sends its record, and revokes what was granted before. True when the page is about to reload. */
export function saveChoice(granted: ConsentCategory[], action: ConsentAction, tagSet: TagSet): boolean {
  const before = readConsentCookie()
  const taken = before?.granted.some((category) => !granted.includes(category)) ?? false
  const id = before?.id ?? randomId()
  if (granted.length > 0 && !before?.granted.length) noteCookiesBeforeTags()
  const { textVersion } = tagSet
  writeConsentCookie({ textVersion, granted, asked: tagSet.inUse, id })
  record({
    id,
    action: taken ? 'revoke' : action,
    categories: granted as OptionalCategory[],
    text_version: textVersion,
    tag_set_version: tagSet.version,
  })
  if (!taken) return false
  updateGoogleConsent(granted)
  if (!granted.includes('marketing')) window.fbq?.('consent', 'revoke')
  // Only a reload unloads what already runs. Should the part that cleans up not come, nothing runs any more all the same.
  void tagSet
    .deleteLeftovers()
    .catch(() => {})
    .then(() => location.reload())
  return true
}

function record(body: ConsentRecord): void {
  navigator.sendBeacon(CONSENT_PATH, new Blob([JSON.stringify(body)], { type: 'application/json' }))
}
