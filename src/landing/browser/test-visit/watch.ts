import type { ConsentCategory } from '#contract/consent.ts'
import type { ManifestTag } from '#contract/tag-manifest.ts'
import { TEST_TEXT_MAX_LENGTH, type TestStep } from '#contract/tag-test.ts'
import { readConsentCookie } from '../shared/consent-cookie.ts'
import { cookieNames, expire } from '../tags/clean-up.ts'
import {
  findEngine,
  hearLoads,
  isCoarse,
  isQuiet,
  judgeRequest,
  type Sighting,
  seeHit,
} from '../tags/requests.ts'
import type { TagRun } from '../tags/run-tags.ts'

/**
 * Cookies that appear from now on; call the result to get the new ones. They are deleted when the page is left, unless
 * this browser's stored choice allows them.
 */
export function watchCookies(category: ConsentCategory, onCookie: (name: string) => void): () => void {
  const before = new Set(cookieNames())
  const found = new Set<string>()
  addEventListener('pagehide', () => {
    if (readConsentCookie()?.granted.includes(category)) return
    for (const name of found) expire(name)
  })
  return () => {
    for (const name of cookieNames()) {
      if (before.has(name) || found.has(name) || name === '') continue
      found.add(name)
      onCookie(name)
    }
  }
}

/** Reports each file that loaded or not, and errors in the tag's code and its files. */
export function watchScripts(
  run: TagRun,
  isStopped: (address: string) => boolean,
  tell: (step: Omit<TestStep, 'at'>) => void,
): void {
  const tellOfScript = (src: string, ok: boolean) => {
    if (isStopped(src) || !URL.canParse(src)) return
    const { host, hostname, pathname } = new URL(src)
    if (host !== location.host) tell({ kind: 'script', host: hostname, ok })
    else if (run.owns(pathname)) tell({ kind: 'file', ok })
  }
  document.addEventListener(
    'load',
    ({ target }) => {
      if (target instanceof HTMLScriptElement) tellOfScript(target.src, true)
    },
    true,
  )
  addEventListener(
    'error',
    (event: Event) => {
      if (event instanceof ErrorEvent) {
        // Errors of browser extensions are in no file of a page.
        if (!event.filename.startsWith('http')) return
        const { host, hostname } = new URL(event.filename)
        if (host === location.host && !run.owns(event.filename)) return
        const text = event.message.slice(0, TEST_TEXT_MAX_LENGTH)
        tell({ kind: 'error', text, ...(host === location.host ? {} : { host: hostname }) })
      } else if (event.target instanceof HTMLScriptElement) {
        // The policy's event may come a moment later.
        const { src } = event.target
        setTimeout(() => tellOfScript(src, false), 50)
      }
    },
    true,
  )
}

const RIPE_MS = 300

interface Traffic {
  /** Reports every request that ended since the last call. */
  look(): void
  /** True if a page view of this tag was in the timeline. */
  hasHit(): boolean
  /** True if a page view that was sent would be in the timeline by now. */
  wouldBeSeen(): boolean
  isQuiet(): boolean
}

/** Every external request of the page: under test there is one tag, so all of them belong to it. */
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
    // An image reports a moment later that it loaded.
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
