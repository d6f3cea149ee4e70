import {
  type StoppedRequest,
  TAG_ERROR_MAX_LENGTH,
  TAG_REPORT_MAX_STOPPED,
  TAG_REPORT_PATH,
  type TagReport,
  type TagResult,
} from '#contract/tag-report.ts'
import { findEngine, type Look, mayReach, SETTLE_MS, watchRequests } from './requests.ts'
import type { TagRun } from './run-tags.ts'
import type { CostOf, watchCost } from './watch-cost.ts'

/** How long the report waits for requests that take longer than `SETTLE_MS`. */
const MAX_WAIT_MS = 16_000

const LOOK_AGAIN_MS = 1_000

/** Share of visits that measure costs. */
const MEASURED_SHARE = 0.1

/** Listens for errors and blocked scripts, attributes them, and reports once per tag and page. */
export function watchRuns(
  set: string,
  runs: ReadonlyMap<string, TagRun>,
  send = sendReport,
): { settled(): void } {
  const engine = findEngine(window)
  const violations = noteViolations(({ effectiveDirective, sourceFile, blockedURI }) => {
    const isScript = effectiveDirective.startsWith('script-src')
    for (const run of runs.values())
      if (run.loads(blockedURI) || (isScript && run.owns(sourceFile))) run.note('stopped')
    const [owner, another] = findOwners(sourceFile, runs)
    return another ? undefined : owner?.tag.id
  })
  const look = watchRequests(engine, violations.has)
  let takeCost: ReturnType<typeof watchCost>
  // Loaded on demand: few visits need it.
  if (Math.random() < MEASURED_SHARE)
    void import('./watch-cost.ts').then((part) => {
      takeCost = part.watchCost(runs, findOwners)
    })
  let timer: ReturnType<typeof setTimeout> | undefined

  const tell = (isEarly: boolean) => {
    const seen = look()
    const open = [...runs.values()].filter(({ outcome, isReported }) => outcome && !isReported)
    if (!open[0]) return
    const costOf = takeCost?.(seen.addresses)
    takeCost = undefined
    const frameReports = open.flatMap(({ inFrame }) => inFrame ?? [])
    send({
      set,
      results: open.map((run) => describeRun(run, seen, isEarly, costOf)),
      hosts: Object.assign(
        seen.hostsOf(open.map(({ tag }) => tag)),
        ...frameReports.map(({ hosts }) => hosts),
      ),
      stopped: violations
        .list()
        .concat(...frameReports.map(({ stopped }) => stopped))
        .slice(0, TAG_REPORT_MAX_STOPPED),
      sees_all: engine === 'firefox',
      unattributed_ms: costOf?.().ms,
    })
  }
  const describeRun = (run: TagRun, seen: Look, isEarly: boolean, costOf: CostOf | undefined): TagResult => {
    run.isReported = true
    if (run.inFrame) return run.inFrame.result
    const hit = seen.hitOf(run.tag)
    // Nothing of this visit reached the vendor.
    if (hit === 'failed') run.note('blocked')
    // A visitor who leaves at once has not waited for the page view.
    const isNone = run.tag.hit && !isEarly && seen.isQuiet(run.tag)
    return {
      id: run.tag.id,
      outcome: run.outcome ?? 'ran',
      error: run.error,
      hit: hit ?? (isNone ? 'none' : undefined),
      ...costOf?.(run),
    }
  }
  const tellWhenQuiet = (waited: number) => {
    const seen = look()
    const isPending = ({ outcome, tag, inFrame }: TagRun) =>
      tag.room ? !inFrame?.isFinal : outcome === 'ran' && tag.hit && !seen.hitOf(tag) && !seen.isQuiet(tag)
    if (waited >= MAX_WAIT_MS || ![...runs.values()].some(isPending)) tell(false)
    else timer = setTimeout(tellWhenQuiet, LOOK_AGAIN_MS, waited + LOOK_AGAIN_MS)
  }

  // Load errors of elements do not bubble, but they can be captured.
  addEventListener(
    'error',
    (event: Event) => {
      if (event instanceof ErrorEvent) {
        for (const run of runs.values()) {
          if (run.owns(event.filename)) run.note('failed', event.message.slice(0, TAG_ERROR_MAX_LENGTH))
        }
      } else if (event.target instanceof HTMLScriptElement) {
        const { src } = event.target
        for (const run of findOwners(src, runs)) run.note(violations.has(src) ? 'stopped' : 'blocked')
      }
    },
    true,
  )
  addEventListener('pagehide', () => tell(true))
  return {
    settled: () => {
      clearTimeout(timer)
      timer = setTimeout(tellWhenQuiet, SETTLE_MS, SETTLE_MS)
    },
  }
}

/** The tag that names this address; else those that load from its host, or the one whose ID is in it. */
export function findOwners(address: string, runs: ReadonlyMap<string, TagRun>): TagRun[] {
  if (!URL.canParse(address)) return []
  const all = [...runs.values()]
  const loaders = all.filter((run) => run.loads(address) || run.owns(address))
  if (loaders[0]) return loaders
  const { hostname } = new URL(address)
  const owners = all.filter(({ tag }) => mayReach(tag, hostname))
  const named = owners.filter(({ tag }) => {
    const id = tag.vendorId ?? tag.hit?.id
    return id && address.includes(id)
  })
  return named[0] ? named : owners
}

export interface Violations {
  /** True if our policy stopped this address. */
  has(address: string): boolean
  /** Each host once per use and source. */
  list(): StoppedRequest[]
}

/** Listens for everything that our policy stops, including images and frames. `onViolation` may name the pixel. */
export function noteViolations(
  onViolation: (violation: SecurityPolicyViolationEvent) => string | undefined,
): Violations {
  const addresses = new Set<string>()
  const stopped = new Map<string, StoppedRequest>()
  document.addEventListener('securitypolicyviolation', (violation) => {
    const { blockedURI, effectiveDirective: directive, sourceFile } = violation
    addresses.add(blockedURI)
    const tag = onViolation(violation)
    const source = sourceOf(sourceFile)
    const [host] = /^(https|wss):..[^/]+/.exec(blockedURI) ?? []
    if (source === null || !host) return
    stopped.set(String([directive, host, source, tag]), { host, directive, source, tag })
  })
  return {
    has: (address) => addresses.has(address),
    list: () => [...stopped.values()],
  }
}

/** Undefined if the browser names none, null for an extension, whose violations do not count. */
function sourceOf(file: string): string | null | undefined {
  if (!file) return undefined
  if (!file.startsWith('http')) return null
  const { origin, pathname, hostname } = new URL(file)
  return origin === location.origin ? pathname : hostname
}

export function sendReport(report: TagReport): void {
  sendJson(TAG_REPORT_PATH, report)
}

/** Sent even when the page is left. */
export function sendJson(path: string, body: unknown): void {
  navigator.sendBeacon(path, new Blob([JSON.stringify(body)], { type: 'application/json' }))
}
