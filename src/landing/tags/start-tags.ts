import type { ConsentCategory } from '#contract/consent.ts'
import { fromLetters } from '#contract/consent-choice.ts'
import { type LoadPreferences, readGranted, showBanner, wireConsent } from '../consent/ask-consent.ts'
import { denyGoogleByDefault, updateGoogleConsent } from '../consent/google-consent.ts'
import { type TagMoment, watchMoments } from './tag-moment.ts'

const IDLE_TIMEOUT_MS = 2_000

/**
 * Nothing of a vendor before the choice; after it, and after the page is done with itself, the tags. The banner waits for
 * the typeface, so that it is laid out once.
 */
export function startTags(loadPreferences: LoadPreferences, typeface: Promise<void>): void {
  const { tags: version = '', tagKinds = '' } = document.documentElement.dataset
  const inUse = fromLetters(tagKinds)
  const early: TagMoment[] = []
  let hear: ((moment: TagMoment) => void) | null = null

  const run = (granted: readonly ConsentCategory[]) => {
    const allowed = inUse.filter((category) => granted.includes(category))
    if (allowed.length === 0) return
    // From here on a moment may be told; what was done before the choice is not.
    hear ??= (moment) => early.push(moment)
    whenIdle(() => {
      import('./run-tags.ts')
        .then(({ runTags }) => runTags(version, allowed))
        .then(
          (deliver) => {
            hear = deliver
            for (const moment of early.splice(0)) deliver(moment)
          },
          // A page kept open for long names a tag set that is gone; the next one will name another.
          () => {},
        )
    })
  }

  if (version !== '') denyGoogleByDefault()
  wireConsent({ inUse, version }, loadPreferences, (granted) => {
    if (version !== '') updateGoogleConsent(granted)
    run(granted)
  })
  if (version === '') return
  watchMoments((moment) => hear?.(moment))
  const granted = readGranted(inUse)
  if (granted === null) {
    void typeface.then(showBanner)
    return
  }
  updateGoogleConsent(granted)
  run(granted)
}

/** After `load`, when the browser has nothing better to do, and never in a page that is only prerendered. */
function whenIdle(work: () => void): void {
  if ((document as { prerendering?: boolean }).prerendering) {
    document.addEventListener('prerenderingchange', () => whenIdle(work), { once: true })
  } else if (document.readyState !== 'complete') {
    addEventListener('load', () => whenIdle(work), { once: true })
  } else if ('requestIdleCallback' in window) {
    requestIdleCallback(work, { timeout: IDLE_TIMEOUT_MS })
  } else {
    // Safari has no idle callback.
    setTimeout(work, 200)
  }
}
