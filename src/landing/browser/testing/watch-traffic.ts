import type { ManifestTag } from '#contract/tag-manifest.ts'
import { isQuiet } from '../tags/is-quiet.ts'
import { findEngine, isCoarse, judgeRequest } from '../tags/judge-request.ts'
import { type Sighting, seeHit } from '../tags/see-hit.ts'
import { hearLoads } from '../tags/watch-requests.ts'

const RIPE_MS = 300

interface Traffic {
  /** Tells of every request that has ended since the last look. */
  look(): void
  /** True when a page view of this tag was in the timeline. */
  hasHit(): boolean
  /** True where a page view that was sent would have been seen by now. */
  wouldBeSeen(): boolean
  isQuiet(): boolean
}

/** Every request of the page to others: on a page under test there is one tag, so all of them are its own. */
export function watchTraffic(
  { hit }: ManifestTag,
  isStopped: (address: string) => boolean,
  onRequest: (sighting: Sighting & { status: number; isHit: boolean }) => void,
): Traffic {
  const engine = findEngine(window)
  const seen: Sighting[] = []
  const starts: number[] = []
  const loaded = hearLoads(engine)
  let waiting: PerformanceResourceTiming[] = []
  let hits = 0
  const observer = new PerformanceObserver((list) =>
    waiting.push(...(list.getEntries() as PerformanceResourceTiming[])),
  )
  observer.observe({ type: 'resource' })
  const look = () => {
    waiting.push(...(observer.takeRecords() as PerformanceResourceTiming[]))
    // A picture says a moment later that it came.
    const ripe = waiting.filter(({ responseEnd }) => performance.now() - responseEnd > RIPE_MS)
    waiting = waiting.filter((entry) => !ripe.includes(entry))
    for (const entry of ripe) {
      const { name: address, initiatorType, duration, startTime } = entry
      starts.push(startTime)
      const { host, hostname, protocol } = new URL(address)
      if (protocol !== 'https:' || host === location.host || isStopped(address)) continue
      const { responseStatus: status = 0 } = entry as { responseStatus?: number }
      const sighting: Sighting = {
        address,
        host: hostname,
        isScript: initiatorType === 'script',
        verdict: loaded.has(address) ? 'answered' : judgeRequest(entry, engine, isCoarse(starts)),
        duration,
        end: startTime + duration,
      }
      const verdict = hit && seeHit(hit, [sighting])
      const isHit = verdict !== undefined && verdict === sighting.verdict
      if (verdict !== undefined) hits += 1
      seen.push(sighting)
      onRequest({ ...sighting, status, isHit })
    }
  }
  return {
    look,
    hasHit: () => hits > 0,
    wouldBeSeen: () => engine === 'firefox' && hit !== undefined,
    isQuiet: () => isQuiet(seen, performance.now()),
  }
}
