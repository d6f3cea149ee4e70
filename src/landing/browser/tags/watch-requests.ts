import type { ManifestTag } from '#contract/tag-manifest.ts'
import { type HitVerdict, TAG_REPORT_MAX_HOSTS, type TagVerdict } from '#contract/tag-report.ts'
import { better, findEngine, isCoarse, judgeRequest } from './judge-request.ts'
import { matchesSource } from './matches-source.ts'

interface Sighting {
  address: string
  host: string
  isScript: boolean
  verdict: TagVerdict
}

export interface Requests {
  /** The best that was seen of each host that the tag may reach. */
  hostsOf(tag: ManifestTag): Record<string, TagVerdict>
  /** The best that was seen of its page view; undefined where nobody says how to tell one. */
  hitOf(tag: ManifestTag): HitVerdict | undefined
  /** True when our policy stopped that very address. */
  isStopped(address: string): boolean
}

/** Notes what the page can know of its tags' requests, from before the first tag starts. */
export function watchRequests(): Requests {
  const entries: PerformanceResourceTiming[] = []
  const loaded = new Set<string>()
  const stopped = new Set<string>()
  const keep = (list: PerformanceEntryList) => entries.push(...(list as PerformanceResourceTiming[]))
  const observer = new PerformanceObserver((list) => keep(list.getEntries()))
  observer.observe({ type: 'resource' })
  const hear = ({ target }: Event) => {
    if (target instanceof HTMLScriptElement || target instanceof HTMLImageElement) loaded.add(target.src)
  }
  // These do not bubble, but they are captured on their way down.
  document.addEventListener('load', hear, true)
  document.addEventListener('securitypolicyviolation', ({ blockedURI }) => stopped.add(blockedURI))

  const sightings = (): Sighting[] => {
    keep(observer.takeRecords())
    const engine = findEngine(window)
    const coarse = isCoarse(entries.map(({ startTime }) => startTime))
    return entries.flatMap((entry) => {
      if (!entry.name.startsWith('https:') || stopped.has(entry.name)) return []
      const verdict = loaded.has(entry.name) ? 'answered' : judgeRequest(entry, engine, coarse)
      return [
        {
          address: entry.name,
          host: new URL(entry.name).hostname,
          isScript: entry.initiatorType === 'script',
          verdict,
        },
      ]
    })
  }
  return {
    hostsOf: ({ hosts }) => {
      const seen: Record<string, TagVerdict> = {}
      for (const { host, verdict } of sightings()) {
        const isKnown = Object.hasOwn(seen, host)
        if (!isKnown && Object.keys(seen).length >= TAG_REPORT_MAX_HOSTS) continue
        if (isKnown || hosts.some((source) => matchesSource(host, source)))
          seen[host] = better(seen[host], verdict)
      }
      return seen
    },
    hitOf: ({ hit }) => {
      if (hit === undefined) return undefined
      const { hosts, id } = hit
      let best: TagVerdict | undefined
      for (const { address, host, isScript, verdict } of sightings()) {
        if (!hosts.some((source) => matchesSource(host, source))) continue
        if (id === null ? !isScript : address.includes(id)) best = better(best, verdict)
      }
      return best ?? 'none'
    },
    isStopped: (address) => stopped.has(address),
  }
}
