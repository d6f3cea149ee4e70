import type { ManifestTag, TagHit } from '#contract/tag-manifest.ts'
import type { TagVerdict } from '#contract/tag-report.ts'

/** The timeline at one moment. */
export interface Look {
  /** All requests, each once. */
  addresses: readonly string[]
  /** The best observation of each host that these tags may reach. */
  hostsOf(tags: readonly ManifestTag[]): Record<string, TagVerdict>
  /** The best observation of its page view; undefined if there is none. */
  hitOf(tag: ManifestTag): TagVerdict | undefined
  /** False while a request of the tag may still be running. */
  isQuiet(tag: ManifestTag): boolean
}

/** Collects what the page can know of its tags' requests, from before the first tag starts. */
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
 * Addresses of loaded scripts and images. Most page views are detached images, whose `load` event only they get: in
 * Chromium, where the timeline tells nothing else, a listener is added as each gets its address. Other browsers do not
 * need it, and would name this file as the sender.
 */
export function hearLoads(engine: Engine): ReadonlySet<string> {
  const loaded = new Set<string>()
  const hear = ({ target }: Event) => {
    // Chromium reports a loaded frame even without a response.
    if (!(target instanceof HTMLIFrameElement)) loaded.add((target as HTMLImageElement).src)
  }
  // These events do not bubble, but they can be captured.
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

/** How long a vendor needs from its last script to its page view. */
export const SETTLE_MS = 4_000

/**
 * A request is in the timeline when it ends, so a slow browser needs several times as long as its earlier ones took.
 */
const PATIENCE = 4

/** False while more of the same vendor may come, and if nothing of it came at all. */
export function isQuiet(seen: readonly Pick<Sighting, 'duration' | 'end'>[], now: number): boolean {
  const wait = Math.max(SETTLE_MS, ...seen.map(({ duration }) => PATIENCE * duration))
  return seen.length > 0 && seen.every(({ end }) => now - end >= wait)
}

/** One request in the timeline. */
export interface Sighting {
  address: string
  host: string
  isScript: boolean
  verdict: TagVerdict
  duration: number
  /** When it ended, on the page's clock. */
  end: number
}

/** The best observation of a tag's page view; undefined if it is not in the timeline. */
export function seeHit(
  { hosts, id, byScript }: TagHit,
  sightings: readonly Sighting[],
): TagVerdict | undefined {
  let best: TagVerdict | undefined
  for (const { address, host, isScript, verdict } of sightings) {
    if (!hosts.some((source) => matchesSource(host, source))) continue
    if (id === null ? isScript : !address.includes(id)) continue
    // A script of the account, or an ID that only ends like it, is neither a page view nor proof of its absence.
    const isProof = (byScript || !isScript) && (id === null || carries(address, id))
    best = better(best, isProof ? verdict : 'unknown')
  }
  return best
}

/** The ID as a whole word. */
function carries(address: string, id: string): boolean {
  return new RegExp(`(?<![a-z\\d])${id}(?![a-z\\d])`, 'i').test(address)
}

/** Which rules of docs/explain/health.md apply. An unknown browser proves nothing, like Chromium. */
type Engine = 'firefox' | 'webkit' | 'other'

export function findEngine(scope: object): Engine {
  if ('mozInnerScreenX' in scope) return 'firefox'
  return 'GestureEvent' in scope && !('chrome' in scope) ? 'webkit' : 'other'
}

/** What an entry of the timeline proves about its request. */
export function judgeRequest(
  entry: Pick<PerformanceResourceTiming, 'duration' | 'responseStart' | 'nextHopProtocol'> & {
    responseStatus?: number
  },
  engine: Engine,
  clockIsCoarse: boolean,
): TagVerdict {
  const { duration, responseStart, nextHopProtocol, responseStatus = 0 } = entry
  if (responseStatus > 0 || responseStart > 0 || nextHopProtocol !== '') return 'answered'
  // WebKit writes an entry only for answered requests; a blocked CORS response has none.
  if (engine === 'webkit') return 'answered'
  if (engine === 'firefox' && !clockIsCoarse) return duration === 0 ? 'failed' : 'sent'
  // Chromium's entries look the same whether the request arrived, was reset or was blocked.
  return 'unknown'
}

const COARSE_STEP_MS = 1000 / 60

/** Firefox with resistFingerprinting rounds all times to frames: a duration of zero then means nothing. */
export function isCoarse(startTimes: readonly number[]): boolean {
  const distance = (time: number) => Math.abs(time / COARSE_STEP_MS - Math.round(time / COARSE_STEP_MS))
  return startTimes.length > 0 && startTimes.every((time) => distance(time) < 0.01)
}

const ORDER: readonly TagVerdict[] = ['failed', 'unknown', 'sent', 'answered']

export function better(a: TagVerdict | undefined, b: TagVerdict): TagVerdict {
  return a === undefined || ORDER.indexOf(b) > ORDER.indexOf(a) ? b : a
}

/** As in the policy: `*.vendor.com` matches every subdomain, but not `vendor.com` itself. */
function matchesSource(host: string, source: string): boolean {
  return source.startsWith('*.') ? host.endsWith(source.slice(1)) : host === source
}
