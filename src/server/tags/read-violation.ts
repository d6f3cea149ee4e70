import { publicHostOf } from '#contract/tag-host.ts'
import { ownOrigins } from '../http/own-origins.ts'

export interface Violation {
  /** The public host that the page was kept from. */
  host: string
  /** The script that tried, when the browser knows. */
  sourceFile: string | null
}

/** What allowing a host would open: a report about anything else leads to nothing that an administrator could do. */
const DIRECTIVES = new Set(['script-src', 'script-src-elem', 'connect-src', 'img-src', 'frame-src'])

/** Takes the body of a `report-uri` report apart. Whatever is not a plain violation on the landing page is null. */
export function readViolation(
  body: unknown,
  siteUrl: string,
  ownHosts: ReadonlySet<string>,
): Violation | null {
  const report = field(body, 'csp-report')
  const directive = String(
    field(report, 'effective-directive') ?? field(report, 'violated-directive') ?? '',
  ).split(' ')[0]
  const page = parseUrl(field(report, 'document-uri'))
  if (directive === undefined || !DIRECTIVES.has(directive)) return null
  if (page === null || page.pathname !== '/' || !ownOrigins(siteUrl).includes(page.origin)) return null
  const blocked = field(report, 'blocked-uri')
  const host = typeof blocked === 'string' ? publicHostOf(blocked) : null
  if (host === null || ownHosts.has(host)) return null
  const source = parseUrl(field(report, 'source-file'))
  // Browser extensions meet the page's policy too, and no administrator can do anything about them.
  if (source !== null && !['https:', 'http:'].includes(source.protocol)) return null
  return { host, sourceFile: source?.href ?? null }
}

function field(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined
}

function parseUrl(value: unknown): URL | null {
  return typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
}
