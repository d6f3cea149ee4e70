import type { ConsentCategory } from '#contract/consent.ts'
import { type TagSet, whenIdle } from '../shared/page.ts'
import { type Conversion, watchConversions } from './watch-conversions.ts'

const IDLE_TIMEOUT_MS = 2_000

/** Returns what starts the tags of the granted categories, after `load` and an idle period. It may be called again. */
export function createTagStarter({ inUse, version }: TagSet): (granted: readonly ConsentCategory[]) => void {
  const early: Conversion[] = []
  let tell: ((conversion: Conversion) => void) | undefined
  return (granted) => {
    const allowed = inUse.filter((category) => granted.includes(category))
    if (allowed.length === 0) return
    // Conversions count from here on; earlier ones do not.
    if (!tell) {
      tell = (conversion) => early.push(conversion)
      watchConversions((conversion) => tell?.(conversion))
    }
    whenDone(() => {
      import('./run-tags.ts')
        .then(({ runTags }) => runTags(version, allowed))
        .then(
          (deliver) => {
            tell = deliver
            for (const conversion of early.splice(0)) deliver(conversion)
          },
          // A page that was open for long names a tag set that is no longer served; a reload fixes it.
          () => {},
        )
    })
  }
}

/** After `load`, and never in a prerendered page. */
function whenDone(work: () => void): void {
  if ((document as { prerendering?: boolean }).prerendering) {
    document.addEventListener('prerenderingchange', () => whenDone(work), { once: true })
  } else if (document.readyState !== 'complete') {
    addEventListener('load', () => whenDone(work), { once: true })
  } else {
    whenIdle(work, IDLE_TIMEOUT_MS)
  }
}
