import { type StoppedRequest, TAG_REPORT_MAX_STOPPED } from '#contract/tag-report.ts'

export interface Violations {
  /** True when our policy stopped that very address. */
  has(address: string): boolean
  /** Each host once for each use and whoever tried. */
  list: readonly StoppedRequest[]
}

/** Hears of everything that our policy stops, of pictures and frames too, whoever tried. */
export function noteViolations(): Violations {
  const addresses = new Set<string>()
  const known = new Set<string>()
  const list: StoppedRequest[] = []
  document.addEventListener('securitypolicyviolation', ({ blockedURI, effectiveDirective, sourceFile }) => {
    addresses.add(blockedURI)
    const source = sourceOf(sourceFile)
    if (source === null || !blockedURI.startsWith('https:')) return
    const { hostname: host } = new URL(blockedURI)
    const key = `${effectiveDirective} ${host} ${source}`
    if (known.has(key) || known.size >= TAG_REPORT_MAX_STOPPED) return
    known.add(key)
    list.push({ host, directive: effectiveDirective, source })
  })
  return { has: (address) => addresses.has(address), list }
}

/** Undefined where the browser names none, null for an extension, whose violations are not the page's. */
function sourceOf(file: string): string | null | undefined {
  if (!file) return undefined
  if (!/^https?:/.test(file)) return null
  const { origin, pathname, hostname } = new URL(file)
  return origin === location.origin ? pathname : hostname
}
