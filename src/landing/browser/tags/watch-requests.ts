import type { ManifestTag } from '#contract/tag-manifest.ts'
import { type HitVerdict, TAG_REPORT_MAX_HOSTS, type TagVerdict } from '#contract/tag-report.ts'
import { absenceTells, mayStillCome, type Surroundings } from './judge-absence.ts'
import { better, findEngine, isCoarse, judgeRequest } from './judge-request.ts'
import { matchesSource } from './matches-source.ts'
import { type Sighting, seeHit } from './see-hit.ts'

/** What the timeline holds at one moment. */
export interface Look {
  /** The best that was seen of each host that the tag may reach. */
  hostsOf(tag: ManifestTag): Record<string, TagVerdict>
  /** The best that was seen of its page view; undefined where nobody can say. */
  hitOf(tag: ManifestTag): HitVerdict | undefined
  /** True while its page view was not seen and may still come. */
  isPending(tag: ManifestTag): boolean
}

interface RequestOptions {
  /** So long a vendor needs from its last script to its page view. */
  settleMs: number
  tags: () => readonly ManifestTag[]
  isStopped: (address: string) => boolean
}

const admits = (sources: readonly string[], host: string) =>
  sources.some((source) => matchesSource(host, source))

/** Notes what the page can know of its tags' requests, from before the first tag starts. */
export function watchRequests({ settleMs, tags, isStopped }: RequestOptions): () => Look {
  const entries: PerformanceResourceTiming[] = []
  const loaded = new Set<string>()
  const keep = (list: PerformanceEntryList) => entries.push(...(list as PerformanceResourceTiming[]))
  const observer = new PerformanceObserver((list) => keep(list.getEntries()))
  observer.observe({ type: 'resource' })
  const hear = ({ target }: Event) => {
    if (target instanceof HTMLScriptElement || target instanceof HTMLImageElement) loaded.add(target.src)
  }
  // These do not bubble, but they are captured on their way down.
  document.addEventListener('load', hear, true)
  const engine = findEngine(window)

  return () => {
    keep(observer.takeRecords())
    const coarse = isCoarse(entries.map(({ startTime }) => startTime))
    const sightings = entries.flatMap((entry): Sighting[] => {
      const { name: address, duration, startTime } = entry
      if (!address.startsWith('https:') || isStopped(address)) return []
      return [
        {
          address,
          host: new URL(address).hostname,
          isScript: entry.initiatorType === 'script',
          verdict: loaded.has(address) ? 'answered' : judgeRequest(entry, engine, coarse),
          duration,
          end: startTime + duration,
        },
      ]
    })
    const seen = new Map(tags().map(({ hit }) => [hit, hit && seeHit(hit, sightings)]))
    // Hosts of the page views that are there: a vendor's own, and so of each of its accounts.
    const told = new Set([...seen].flatMap(([hit, verdict]) => (verdict ? [hit?.hosts.join()] : [])))
    const around = ({ hosts, hit }: ManifestTag): Surroundings => {
      const own = sightings.filter(({ host }) => admits(hosts, host))
      return {
        engine,
        quietMs: own.length === 0 ? null : performance.now() - Math.max(...own.map(({ end }) => end)),
        longestMs: Math.max(0, ...own.map(({ duration }) => duration)),
        // Its own is not among them: this is asked only of what was not seen.
        siblingIsSeen: told.has(hit?.hosts.join()),
      }
    }
    return {
      hostsOf: ({ hosts }) => {
        const best: Record<string, TagVerdict> = {}
        for (const { host, verdict } of sightings) {
          const isKnown = Object.hasOwn(best, host)
          if (!isKnown && Object.keys(best).length >= TAG_REPORT_MAX_HOSTS) continue
          if (isKnown || admits(hosts, host)) best[host] = better(best[host], verdict)
        }
        return best
      },
      hitOf: (tag) =>
        tag.hit && (seen.get(tag.hit) ?? (absenceTells(around(tag), settleMs) ? 'none' : undefined)),
      isPending: (tag) =>
        tag.hit !== undefined && seen.get(tag.hit) === undefined && mayStillCome(around(tag), settleMs),
    }
  }
}
