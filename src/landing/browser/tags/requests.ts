import type { ManifestTag, TagHit } from '#contract/tag-manifest.ts'
import type { TagVerdict } from '#contract/tag-report.ts'

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

/** So long a vendor needs from its last script to its page view. */
export const SETTLE_MS = 4_000

/** A request is in the timeline when it ends, so that a slow browser needs several times as long as its others took. */
const PATIENCE = 4

/** False while more of the same vendor may be on its way, and where nothing of it came at all. */
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

/** The best that was seen of a tag's page view; undefined when it is not in the timeline. */
export function seeHit(
  { hosts, id, byScript }: TagHit,
  sightings: readonly Sighting[],
): TagVerdict | undefined {
  let best: TagVerdict | undefined
  for (const { address, host, isScript, verdict } of sightings) {
    if (!hosts.some((source) => matchesSource(host, source))) continue
    if (id === null ? isScript : !address.includes(id)) continue
    // A script of the account, or an ID that only ends like it, is no page view and no proof that there was none.
    const isProof = (byScript || !isScript) && (id === null || carries(address, id))
    best = better(best, isProof ? verdict : 'unknown')
  }
  return best
}

/** The ID as a whole word. */
function carries(address: string, id: string): boolean {
  return new RegExp(`(?<![a-z\\d])${id}(?![a-z\\d])`, 'i').test(address)
}

/** Which of the rules of docs/evidence.md apply. A browser that is none of these can tell nothing, like Chromium. */
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
  // WebKit writes an entry only for what was answered; a cut-off CORS answer leaves none.
  if (engine === 'webkit') return 'answered'
  if (engine === 'firefox' && !clockIsCoarse) return duration === 0 ? 'failed' : 'sent'
  // Chromium: an entry looks the same whether the request arrived, was reset or was blocked.
  return 'unknown'
}

const COARSE_STEP_MS = 1000 / 60

/** Firefox that resists fingerprinting rounds all times to frames: a duration of zero then means nothing. */
export function isCoarse(startTimes: readonly number[]): boolean {
  const distance = (time: number) => Math.abs(time / COARSE_STEP_MS - Math.round(time / COARSE_STEP_MS))
  return startTimes.length > 0 && startTimes.every((time) => distance(time) < 0.01)
}

const ORDER: readonly TagVerdict[] = ['failed', 'unknown', 'sent', 'answered']

export function better(a: TagVerdict | undefined, b: TagVerdict): TagVerdict {
  return a === undefined || ORDER.indexOf(b) > ORDER.indexOf(a) ? b : a
}

/** As the policy matches hosts: `*.vendor.com` means every name below, and not `vendor.com` itself. */
function matchesSource(host: string, source: string): boolean {
  return source.startsWith('*.') ? host.endsWith(source.slice(1)) : host === source
}
