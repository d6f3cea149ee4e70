import { TAG_ERROR_MAX_LENGTH, type TagReport, type TagResult } from '#contract/tag-report.ts'
import { matchesSource } from './matches-source.ts'
import { noteViolations } from './note-violations.ts'
import { sendReport } from './send-report.ts'
import type { TagRun } from './tag-run.ts'
import { type Look, watchRequests } from './watch-requests.ts'

/** Scripts that a tag's own code adds, and what they send, are still on their way when its last step is done. */
const SETTLE_MS = 4_000
/** Where they take longer, so long the report waits for them. */
const MAX_WAIT_MS = 16_000
const LOOK_AGAIN_MS = 1_000

/** Hears of errors and blocked scripts, knows whose they are, and tells the server once per tag and page. */
export function watchRuns(set: string, runs: ReadonlyMap<string, TagRun>): { settled(): void } {
  const told = new Set<string>()
  const violations = noteViolations()
  const tags = () => [...runs.values()].map(({ tag }) => tag)
  const look = watchRequests({ settleMs: SETTLE_MS, tags, isStopped: violations.has })
  let timer: ReturnType<typeof setTimeout> | undefined

  const tell = (isEarly: boolean) => {
    const seen = look()
    const results: TagReport['results'] = []
    for (const [id, run] of runs) {
      if (run.outcome === null || told.has(id)) continue
      told.add(id)
      results.push(describeRun(run, seen, isEarly))
    }
    if (results.length > 0) sendReport({ set, results, stopped: [...violations.list] })
  }
  const describeRun = (run: TagRun, seen: Look, isEarly: boolean): TagResult => {
    const hit = seen.hitOf(run.tag)
    // Nothing of this visit got through to the vendor.
    if (hit === 'failed') run.note('blocked')
    return {
      id: run.tag.id,
      outcome: run.outcome ?? 'ran',
      error: run.error,
      hosts: seen.hostsOf(run.tag),
      // Whoever leaves at once has not waited for the page view.
      hit: isEarly && hit === 'none' ? undefined : hit,
    }
  }
  const tellWhenQuiet = (waited: number) => {
    const { isPending } = look()
    const isWaiting = [...runs.values()].some(({ outcome, tag }) => outcome === 'ran' && isPending(tag))
    if (waited >= MAX_WAIT_MS || !isWaiting) tell(false)
    else timer = setTimeout(() => tellWhenQuiet(waited + LOOK_AGAIN_MS), LOOK_AGAIN_MS)
  }

  // Load errors of elements do not bubble, but they are captured on their way down.
  addEventListener(
    'error',
    (event: Event) => {
      if (event instanceof ErrorEvent) {
        for (const run of runs.values()) {
          if (run.owns(event.filename))
            run.note('failed', String(event.message).slice(0, TAG_ERROR_MAX_LENGTH))
        }
      } else if (event.target instanceof HTMLScriptElement) {
        const { src } = event.target
        for (const run of ownersOf(src, runs)) run.note(violations.has(src) ? 'stopped' : 'blocked')
      }
    },
    true,
  )
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, sourceFile, blockedURI }) => {
    const isScript = effectiveDirective.startsWith('script-src')
    for (const run of runs.values()) {
      if (isScript ? run.owns(sourceFile) || run.loads(blockedURI) : run.shows(blockedURI))
        run.note('stopped')
    }
  })
  addEventListener('pagehide', () => tell(true))
  return {
    settled: () => {
      clearTimeout(timer)
      timer = setTimeout(() => tellWhenQuiet(SETTLE_MS), SETTLE_MS)
    },
  }
}

/** The tag that names this very address; else those that load from its host, or the one whose ID the address carries. */
function ownersOf(address: string, runs: ReadonlyMap<string, TagRun>): TagRun[] {
  if (!URL.canParse(address)) return []
  const all = [...runs.values()]
  const loaders = all.filter((run) => run.loads(address))
  if (loaders.length > 0) return loaders
  const { hostname } = new URL(address)
  const owners = all.filter(({ tag }) => tag.hosts.some((source) => matchesSource(hostname, source)))
  const named = owners.filter(({ tag }) => {
    const id = tag.vendorId ?? tag.hit?.id
    return id && address.includes(id)
  })
  return named.length > 0 ? named : owners
}
