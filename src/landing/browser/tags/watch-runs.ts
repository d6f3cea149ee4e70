import { TAG_ERROR_MAX_LENGTH, TAG_REPORT_PATH, type TagReport } from '#contract/tag-report.ts'
import type { TagRun } from './tag-run.ts'

/** Scripts that a tag's own code adds are still on their way when its last step is done. */
const SETTLE_MS = 2_500

/** Listens for errors and blocked scripts, attributes them to tags, and reports each tag once per page. */
export function watchRuns(runs: ReadonlyMap<string, TagRun>): { settled(): void } {
  const told = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const tell = () => {
    const results: TagReport['results'] = []
    for (const [id, { outcome, error }] of runs) {
      if (outcome === null || told.has(id)) continue
      told.add(id)
      results.push({ id, outcome, ...(error === undefined ? {} : { error }) })
    }
    if (results.length === 0) return
    const body = JSON.stringify({ results } satisfies TagReport)
    navigator.sendBeacon(TAG_REPORT_PATH, new Blob([body], { type: 'application/json' }))
  }

  // Load errors of elements do not bubble, but they are captured on their way down.
  addEventListener(
    'error',
    (event: Event) => {
      if (event instanceof ErrorEvent) {
        for (const run of runs.values()) {
          if (run.owns(event.filename)) run.fail(String(event.message).slice(0, TAG_ERROR_MAX_LENGTH))
        }
      } else if (event.target instanceof HTMLScriptElement) {
        for (const run of ownersOf(event.target.src, runs)) run.block()
      }
    },
    true,
  )
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, sourceFile, blockedURI }) => {
    for (const run of runs.values()) {
      if (effectiveDirective.startsWith('script-src') ? run.owns(sourceFile) : run.shows(blockedURI))
        run.block()
    }
  })
  addEventListener('pagehide', tell)
  return {
    settled: () => {
      clearTimeout(timer)
      timer = setTimeout(tell, SETTLE_MS)
    },
  }
}

/** The tags that load scripts from that host; when one of them is named in the address by its ID, that one. */
function ownersOf(address: string, runs: ReadonlyMap<string, TagRun>): TagRun[] {
  if (!URL.canParse(address)) return []
  const { hostname } = new URL(address)
  const owners = [...runs.values()].filter(({ tag }) => tag.hosts.includes(hostname))
  const named = owners.filter(({ tag }) => tag.vendorId !== null && address.includes(tag.vendorId))
  return named.length > 0 ? named : owners
}
