import type { ManifestTag } from '#contract/tag-manifest.ts'
import type { TagVerdict } from '#contract/tag-report.ts'
import { isQuiet } from './is-quiet.ts'
import { better, type Engine, isCoarse, judgeRequest } from './judge-request.ts'
import { matchesSource } from './matches-source.ts'
import { type Sighting, seeHit } from './see-hit.ts'

/** What the timeline holds at one moment. */
export interface Look {
  /** Of every request, once for each. */
  addresses: readonly string[]
  /** The best that was seen of each host that one of these tags may reach. */
  hostsOf(tags: readonly ManifestTag[]): Record<string, TagVerdict>
  /** The best that was seen of its page view; undefined when it is not there. */
  hitOf(tag: ManifestTag): TagVerdict | undefined
  /** False while a request of the tag may still be on its way. */
  isQuiet(tag: ManifestTag): boolean
}

/** Notes what the page can know of its tags' requests, from before the first tag starts. */
export function watchRequests(engine: Engine, isStopped: (address: string) => boolean): () => Look {
  const entries: PerformanceResourceTiming[] = []
  const loaded = hearLoads(engine)
  const keep = (list: PerformanceEntryList) => entries.push(...(list as PerformanceResourceTiming[]))
  const observer = new PerformanceObserver((list) => keep(list.getEntries()))
  observer.observe({ type: 'resource' })
  return () => {
    keep(observer.takeRecords())
    const coarse = isCoarse(entries.map(({ startTime }) => startTime))
    const sightings = entries.flatMap((entry): Sighting[] => {
      const { name: address, initiatorType, duration, startTime } = entry
      if (!address.startsWith('https:') || isStopped(address)) return []
      return [
        {
          address,
          host: new URL(address).hostname,
          isScript: initiatorType === 'script',
          verdict: loaded.has(address) ? 'answered' : judgeRequest(entry, engine, coarse),
          duration,
          end: startTime + duration,
        },
      ]
    })
    return {
      addresses: sightings.map(({ address }) => address),
      hostsOf: (tags) => {
        const best: Record<string, TagVerdict> = {}
        for (const { host, verdict } of sightings)
          if (tags.some((tag) => mayReach(tag, host))) best[host] = better(best[host], verdict)
        return best
      },
      hitOf: ({ hit }) => hit && seeHit(hit, sightings),
      isQuiet: (tag) =>
        isQuiet(
          sightings.filter(({ host }) => mayReach(tag, host)),
          performance.now(),
        ),
    }
  }
}

/**
 * Addresses of the scripts and pictures that came, filled as they come. Most page views are pictures that stand nowhere
 * in the document, whose `load` only they hear: in Chromium, where the timeline tells nothing else, each is listened to as
 * it gets its address. Nowhere else: other browsers tell without it, and would name this file as the one that sent it.
 */
export function hearLoads(engine: Engine): ReadonlySet<string> {
  const loaded = new Set<string>()
  const hear = ({ target }: Event) => {
    // Chromium says that a frame was loaded even when nobody answered.
    if (!(target instanceof HTMLIFrameElement)) loaded.add((target as HTMLImageElement).src)
  }
  // These do not bubble, but they are captured on their way down.
  document.addEventListener('load', hear, true)
  const { prototype } = HTMLImageElement
  const src = Object.getOwnPropertyDescriptor(prototype, 'src')
  if (engine === 'other')
    Object.defineProperty(prototype, 'src', {
      ...src,
      set(this: HTMLImageElement, address: string) {
        this.addEventListener('load', hear)
        src?.set?.call(this, address)
      },
    })
  return loaded
}

export function mayReach({ hosts }: ManifestTag, host: string): boolean {
  return hosts.some((source) => matchesSource(host, source))
}
