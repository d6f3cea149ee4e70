import type { ConsentCategory } from '#contract/consent.ts'
import type { TagSet } from '../shared/tag-set.ts'
import { whenIdle } from '../shared/when-idle.ts'
import { type Conversion, watchConversions } from './watch-conversions.ts'

const IDLE_TIMEOUT_MS = 2_000

/** Returns what starts the tags of the granted categories, after `load` and an idle period. It may be called again. */
export function createTagStarter({ inUse, version }: TagSet): (granted: readonly ConsentCategory[]) => void {
  const early: Conversion[] = []
  let tell: ((conversion: Conversion) => void) | undefined
  return (granted) => {
    const allowed = inUse.filter((category) => granted.includes(category))
    if (allowed.length === 0) return
    // From here on a conversion may be told; what was done before the choice is not.
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
          // A page kept open for long names a tag set that is no longer served; after a reload it names the current one.
          () => {},
        )
    })
  }
}

/** After `load`, and never in a page that is only prerendered. */
function whenDone(work: () => void): void {
  if ((document as { prerendering?: boolean }).prerendering) {
    document.addEventListener('prerenderingchange', () => whenDone(work), { once: true })
  } else if (document.readyState !== 'complete') {
    addEventListener('load', () => whenDone(work), { once: true })
  } else {
    whenIdle(work, IDLE_TIMEOUT_MS)
  }
}
