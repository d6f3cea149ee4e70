import type { ConsentCategory } from '#contract/consent.ts'
import type { TagSet } from '../shared/tag-set.ts'
import { type TagMoment, watchMoments } from './tag-moment.ts'

const IDLE_TIMEOUT_MS = 2_000

/** Returns what starts the tags of the granted categories, after the page is done with itself. It may be called again. */
export function createTagStarter({ inUse, version }: TagSet): (granted: readonly ConsentCategory[]) => void {
  const early: TagMoment[] = []
  let tell: ((moment: TagMoment) => void) | undefined
  return (granted) => {
    const allowed = inUse.filter((category) => granted.includes(category))
    if (allowed.length === 0) return
    // From here on a moment may be told; what was done before the choice is not.
    if (!tell) {
      tell = (moment) => early.push(moment)
      watchMoments((moment) => tell?.(moment))
    }
    whenIdle(() => {
      import('./run-tags.ts')
        .then(({ runTags }) => runTags(version, allowed))
        .then(
          (deliver) => {
            tell = deliver
            for (const moment of early.splice(0)) deliver(moment)
          },
          // A page kept open for long names a tag set that is gone; the next one will name another.
          () => {},
        )
    })
  }
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
