import type { StoppedRequest } from '#contract/tag-report.ts'

export interface Violations {
  /** True when our policy stopped that very address. */
  has(address: string): boolean
  /** Each host once for each use and whoever tried. */
  list(): StoppedRequest[]
}

/** Hears of everything that our policy stops, of pictures and frames too. `onViolation` may tell whose it is. */
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

/** Undefined where the browser names none, null for an extension, whose violations are not the page's. */
function sourceOf(file: string): string | null | undefined {
  if (!file) return undefined
  if (!file.startsWith('http')) return null
  const { origin, pathname, hostname } = new URL(file)
  return origin === location.origin ? pathname : hostname
}
