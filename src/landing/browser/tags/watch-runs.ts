import { TAG_ERROR_MAX_LENGTH, type TagReport, type TagResult } from '#contract/tag-report.ts'
import { matchesSource } from './matches-source.ts'
import { sendReport } from './send-report.ts'
import type { TagRun } from './tag-run.ts'
import { watchRequests } from './watch-requests.ts'

/** Scripts that a tag's own code adds, and what they send, are still on their way when its last step is done. */
const SETTLE_MS = 4_000

/** Hears of errors and blocked scripts, knows whose they are, and tells the server once per tag and page. */
export function watchRuns(set: string, runs: ReadonlyMap<string, TagRun>): { settled(): void } {
  const told = new Set<string>()
  const requests = watchRequests()
  let timer: ReturnType<typeof setTimeout> | undefined

  const tell = (isEarly: boolean) => {
    const results: TagReport['results'] = []
    for (const [id, run] of runs) {
      if (run.outcome === null || told.has(id)) continue
      told.add(id)
      results.push(describeRun(run, isEarly))
    }
    if (results.length > 0) sendReport({ set, results })
  }
  const describeRun = (run: TagRun, isEarly: boolean): TagResult => {
    const hit = requests.hitOf(run.tag)
    // Nothing of this visit got through to the vendor.
    if (hit === 'failed') run.note('blocked')
    return {
      id: run.tag.id,
      outcome: run.outcome ?? 'ran',
      error: run.error,
      hosts: requests.hostsOf(run.tag),
      // Whoever leaves at once has not waited for the page view.
      hit: isEarly && hit === 'none' ? undefined : hit,
    }
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
        for (const run of ownersOf(src, runs)) run.note(requests.isStopped(src) ? 'stopped' : 'blocked')
      }
    },
    true,
  )
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, sourceFile, blockedURI }) => {
    if (!effectiveDirective.startsWith('script-src')) return
    for (const run of runs.values()) if (run.owns(sourceFile) || run.loads(blockedURI)) run.note('stopped')
  })
  addEventListener('pagehide', () => tell(true))
  return {
    settled: () => {
      clearTimeout(timer)
      timer = setTimeout(() => tell(false), SETTLE_MS)
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
