import type { IncomingMessage } from 'node:http'

/** What a request asks for, in the one spelling that every rule is decided on. */
export interface Target {
  /** Begins with a slash, has no empty or dot segment, and escapes nothing that may stand as itself. */
  readonly path: string
  /** As it came, without the question mark; null where there is none. */
  readonly query: string | null
  /** Lower case, with the port when one is named; null for a health check of HTTP/1.0 that names none. */
  readonly host: string | null
}

/** Why a request has no canonical target. */
export interface NotCanonical {
  readonly refusal:
    | 'version'
    | 'form'
    | 'character'
    | 'escape'
    | 'empty segment'
    | 'dot segment'
    | 'host missing'
    | 'host repeated'
    | 'host malformed'
}

type RequestHead = Pick<IncomingMessage, 'url' | 'httpVersion' | 'rawHeaders'>

/** RFC 3986: the characters of a path (`pchar` and the slash), and the percent sign of an escape. */
const PATH_CHARACTERS = /^[\w\-.~!$&'()*+,;=:@/%]*$/
/** A segment that a server in front may read as "here" or "up", with the path parameter that hides it from some. */
const DOT_SEGMENT = /\/\.{1,2}(?:[/;]|$)/
/** Each percent sign begins an escape; what may not stand as itself is a byte past ASCII or one of ` "<>[]^`{|}`. */
const NEEDED_ESCAPES = /^(?:[^%]|%(?:[89A-F][0-9A-F]|2[02]|3[CE]|5[BDE]|60|7[BCD]))*$/
/** A name, an IPv4 or a bracketed IPv6 address, and a port. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Supervisors and load balancers ask these, some in HTTP/1.0 without a host. They are answered however busy the process is. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/readyz/serve'])

/**
 * A router decodes, a proxy in front may merge slashes or resolve dots, and a rule that looks at the text then judges
 * something else than what answers. So nothing is normalised: a target that is not canonical already is refused, and
 * whoever looks at it afterwards sees the same text. The query is the application's and passes untouched.
 */
export function canonicalTarget({ url = '', httpVersion, rawHeaders }: RequestHead): Target | NotCanonical {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return { refusal: 'version' }
  const queryAt = url.indexOf('?')
  const path = queryAt === -1 ? url : url.slice(0, queryAt)
  const fault = pathFault(path)
  if (fault !== null) return { refusal: fault }
  const hosts = hostsOf(rawHeaders)
  if (hosts.length > 1) return { refusal: 'host repeated' }
  const [host = null] = hosts
  if (host === null && (httpVersion === '1.1' || !HEALTH_PATHS.has(path))) return { refusal: 'host missing' }
  if (host !== null && !HOST.test(host)) return { refusal: 'host malformed' }
  return { path, query: queryAt === -1 ? null : url.slice(queryAt + 1), host: host?.toLowerCase() ?? null }
}

function pathFault(path: string): NotCanonical['refusal'] | null {
  if (path === '/') return null
  // Absolute form, the authority of CONNECT and the asterisk of OPTIONS: no path of this site.
  if (!path.startsWith('/')) return 'form'
  if (!PATH_CHARACTERS.test(path)) return 'character'
  if (path.includes('//')) return 'empty segment'
  if (path.includes('/.') && DOT_SEGMENT.test(path)) return 'dot segment'
  if (path.includes('%') && !(NEEDED_ESCAPES.test(path) && isUtf8(path))) return 'escape'
  return null
}

function isUtf8(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** Of several `Host` headers Node keeps the first and drops the others; another server may do otherwise. */
function hostsOf(rawHeaders: readonly string[]): string[] {
  const hosts: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] ?? '')
  }
  return hosts
}
