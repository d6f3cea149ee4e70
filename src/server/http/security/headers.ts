import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ClassOf, SecurityClass } from './classes.ts'
import { type Policy, SANDBOX_POLICY, serializePolicy } from './content-security-policy.ts'

/** Applied in one place to every response of the framework: one response without them would undo the others. */
export function registerSecurityHeaders(
  app: FastifyInstance,
  headers: SecurityHeaders,
  classOf: ClassOf,
): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html')
    const securityClass = classOf(request)
    const chosen = headersOf(securityClass, isPage, headers)
    if (!hasAlready(reply, chosen)) reply.headers(chosen)
    const mayBeKept = securityClass !== 'service' || reply.hasHeader('cache-control')
    if (!mayBeKept) reply.header('cache-control', 'no-store')
    done(null, payload)
  })
}

/** The raw server starts every response with the headers for non-pages, and a route may have set others since. */
function hasAlready(reply: FastifyReply, headers: Headers): boolean {
  for (const name in headers) if (reply.getHeader(name) !== headers[name]) return false
  return true
}

export type Headers = Record<string, string>

interface SecurityHeaders {
  /** The dashboard's document. */
  admin: Headers
  /** Pages without tags: legal texts, errors, responses to the newsletter form. */
  publicPage: Headers
  /** Everything that is not a page. */
  other: Headers
}

/** Headers by the security class of the route: only two classes are documents. */
function headersOf(
  securityClass: SecurityClass,
  isPage: boolean,
  { admin, publicPage, other }: SecurityHeaders,
): Headers {
  if (securityClass === 'admin page') return isPage ? admin : { ...other, 'cache-control': 'no-store' }
  return securityClass === 'public page' && isPage ? publicPage : other
}

/** Headers of a page with its own policy: the landing page's policy changes with the tags. */
export function pageHeaders(
  policy: Policy,
  options: { hsts: string | null; opener?: string | null },
): Headers {
  const opener = options.opener === undefined ? 'same-origin-allow-popups' : options.opener
  return {
    ...common(options.hsts),
    'content-security-policy': serializePolicy(policy),
    'referrer-policy': 'strict-origin-when-cross-origin',
    ...(opener === null ? {} : { 'cross-origin-opener-policy': opener }),
  }
}

export function adminHeaders(policy: Policy, hsts: string | null): Headers {
  return {
    ...common(hsts),
    'content-security-policy': serializePolicy(policy),
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'permissions-policy': permissions('(self)'),
  }
}

/** The document of an isolated tag, which only our own pages may frame. */
export function frameHeaders(policy: Policy, hsts: string | null): Headers {
  return {
    ...common(hsts),
    'content-security-policy': serializePolicy(policy),
    // For older browsers; newer ones use `frame-ancestors`.
    'x-frame-options': 'SAMEORIGIN',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': `${permissions('()')}, autoplay=(), clipboard-read=(), clipboard-write=(), fullscreen=(), storage-access=()`,
    'x-dns-prefetch-control': 'off',
    'x-robots-tag': 'noindex',
  }
}

export function otherHeaders(hsts: string | null): Headers {
  return { ...common(hsts), 'content-security-policy': SANDBOX_POLICY, 'referrer-policy': 'no-referrer' }
}

function common(hsts: string | null): Headers {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': permissions('()'),
    ...(hsts === null ? {} : { 'strict-transport-security': hsts }),
  }
}

/** Only the dashboard may request a passkey: on the page, a tag could do so in its name. */
function permissions(passkeys: '()' | '(self)'): string {
  return `browsing-topics=(), camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), publickey-credentials-create=${passkeys}, publickey-credentials-get=${passkeys}, usb=()`
}
