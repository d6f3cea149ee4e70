import type { ConsentCategory } from '#contract/consent.ts'
import { CONVERSION_EVENT, type ConversionName, randomId, type TagSet, whenIdle } from '../shared/page.ts'

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

/** One thing that a visitor did: links carry its name in `data-conversion`, islands announce it. */
export interface Conversion {
  name: ConversionName
  /** One per conversion, the same for every tag, so that a vendor can tell a copy from a second one. */
  id: string
}

/** Calls `onConversion` once for each thing done, however it was done. */
export function watchConversions(onConversion: (conversion: Conversion) => void): void {
  const clicked = (event: MouseEvent) => {
    // The second click of a double click is the same decision, and a right click is none.
    if (event.detail > 1 || event.button > 1) return
    const name = (event.target as Element).closest<HTMLElement>('[data-conversion]')?.dataset.conversion
    if (name !== undefined) onConversion({ name: name as ConversionName, id: randomId() })
  }
  addEventListener('click', clicked)
  addEventListener('auxclick', clicked)
  document.addEventListener(CONVERSION_EVENT, (event) => {
    const { name } = (event as CustomEvent<{ name: ConversionName }>).detail
    onConversion({ name, id: randomId() })
  })
}
