import { publicHostOf } from '#contract/public-host.ts'
import type { StoppedRequest } from '#contract/tag-report.ts'
import type { TagSources } from '../http/content-security-policy.ts'
import { ownOrigins } from '../http/own-origins.ts'

export interface Violation {
  /** The public host that the page was kept from. */
  host: string
  /** What it wanted to do there. */
  use: keyof TagSources
  /** A socket needs an entry of its own in the policy. */
  isSocket: boolean
  /** The script that tried, when the browser knows. */
  sourceFile: string | null
  /** The pixel that the page itself named. */
  tag: string | null
}

/** What allowing a host would open: a report about anything else leads to nothing that an administrator could do. */
const USES: Readonly<Record<string, keyof TagSources>> = {
  'script-src': 'script',
  'script-src-elem': 'script',
  'connect-src': 'connect',
  'img-src': 'image',
  'frame-src': 'frame',
}

/** Takes the body of a `report-uri` report apart. Whatever is not a plain violation on the landing page is null. */
export function readViolation(
  body: unknown,
  siteUrl: string,
  ownHosts: ReadonlySet<string>,
): Violation | null {
  const report = field(body, 'csp-report')
  const page = parseUrl(field(report, 'document-uri'))
  if (page === null || page.pathname !== '/' || !ownOrigins(siteUrl).includes(page.origin)) return null
  const [directive = ''] = String(
    field(report, 'effective-directive') ?? field(report, 'violated-directive') ?? '',
  ).split(' ', 1)
  const blocked = field(report, 'blocked-uri')
  const source = parseUrl(field(report, 'source-file'))
  return toViolation(
    { directive, blocked: typeof blocked === 'string' ? blocked : '', source, tag: null },
    ownHosts,
  )
}

/** The same of what the page itself heard. */
export function readStopped(
  { host, directive, source, tag }: StoppedRequest,
  siteUrl: string,
  ownHosts: ReadonlySet<string>,
): Violation | null {
  const from = source === undefined || source.startsWith('/') ? source : `https://${source}`
  const sourceUrl = from !== undefined && URL.canParse(from, siteUrl) ? new URL(from, siteUrl) : null
  const blocked = host.includes('://') ? host : `https://${host}`
  return toViolation({ directive, blocked, source: sourceUrl, tag: tag ?? null }, ownHosts)
}

function toViolation(
  {
    directive,
    blocked,
    source,
    tag,
  }: { directive: string; blocked: string; source: URL | null; tag: string | null },
  ownHosts: ReadonlySet<string>,
): Violation | null {
  const use = Object.hasOwn(USES, directive) ? USES[directive] : undefined
  const isSocket = blocked.startsWith('wss://')
  // Unencrypted sockets, like plain http, are never opened: browsers refuse them on an https page by themselves.
  const host = publicHostOf(isSocket ? blocked.replace('wss:', 'https:') : blocked)
  if (use === undefined || host === null || ownHosts.has(host)) return null
  // Browser extensions meet the page's policy too, and no administrator can do anything about them.
  if (source !== null && !['https:', 'http:'].includes(source.protocol)) return null
  return { host, use, isSocket, sourceFile: source?.href ?? null, tag }
}

function field(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined
}

function parseUrl(value: unknown): URL | null {
  return typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
}
