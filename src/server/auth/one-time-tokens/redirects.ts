import type { FastifyRequest } from 'fastify'
import type { Config } from '#server/config.ts'
import type { AuthContext } from '../context.ts'
import { authIssuer } from '../keys/key-ring.ts'
import { readQuery, text, validationFailed } from '../protocol.ts'
import { type IssuedToken, typeOfKind } from './tokens.ts'

/** Where a link leads: to the dashboard with its token, or to a listed address with a code. */
export interface LinkTarget {
  redirectTo: string | null
  /** Set for a listed address only. */
  codeChallenge: string | null
}

/** Body fields with which a client requests a code (RFC 7636). */
export const challengeFields = { code_challenge: text, code_challenge_method: text }

/** SHA-256 in base64url always has this length. */
const S256_SHAPE = /^[\w-]{43}$/

/**
 * A listed address without a challenge is not used: a code that anybody could exchange would be a session in an
 * address.
 */
export function readLinkTarget(
  { config, origins }: AuthContext,
  request: FastifyRequest,
  { code_challenge: challenge, code_challenge_method: method }: Record<keyof typeof challengeFields, string>,
): LinkTarget {
  const listed = listedRedirect(config.auth.redirectUrls, readRedirectTo(request))
  if (listed === null || (challenge === '' && method === ''))
    return { redirectTo: readDashboardTarget({ origins }, request), codeChallenge: null }
  if (challenge === '' || method === '')
    throw validationFailed('PKCE flow requires code_challenge_method and code_challenge')
  if (method.toLowerCase() !== 's256')
    throw validationFailed('Invalid code_challenge_method: only s256 is supported')
  if (!S256_SHAPE.test(challenge)) throw validationFailed('code challenge is not a SHA-256 hash in base64url')
  return { redirectTo: listed, codeChallenge: challenge }
}

/** The address that a request asks for; whether a browser may be sent there is decided below. */
export function readRedirectTo(request: FastifyRequest): string | undefined {
  return readQuery(request, 'redirect_to')
}

/** The page of the dashboard that a request asks for; null where it asks for none. */
export function readDashboardTarget(
  { origins }: Pick<AuthContext, 'origins'>,
  request: FastifyRequest,
): string | null {
  return redirectTarget(origins, readRedirectTo(request))
}

/** Where a link leads that asks for no page of the dashboard. */
export function dashboardHome({ dashboardUrl }: Pick<Config, 'dashboardUrl'>): string {
  return `${dashboardUrl}/admin`
}

/** The parameter that the official client adds to find its verifier. */
const FLOW_ID = 'sb_flow_id'

const FLOW_ID_SHAPE = /^[\w-]{8,64}$/

/**
 * The matching address of `AUTH_REDIRECT_URLS`, or null. Origin, path and query are compared as parsed, and the listed
 * text is returned, so no spelling of the request can lead elsewhere.
 */
export function listedRedirect(listed: readonly string[], asked: string | undefined): string | null {
  if (listed.length === 0 || asked === undefined || !URL.canParse(asked)) return null
  const url = new URL(asked)
  if (url.username !== '' || url.password !== '' || url.hash !== '') return null
  const [flowId, ...more] = url.searchParams.getAll(FLOW_ID)
  if (more.length > 0 || (flowId !== undefined && !FLOW_ID_SHAPE.test(flowId))) return null
  url.searchParams.delete(FLOW_ID)
  const found = listed.find((entry) => isSame(new URL(entry), url))
  if (found === undefined || flowId === undefined) return found ?? null
  return withQuery(found, { [FLOW_ID]: flowId })
}

export function withQuery(address: string, parameters: Record<string, string>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

function isSame(a: URL, b: URL): boolean {
  return a.origin === b.origin && a.pathname === b.pathname && `${a.searchParams}` === `${b.searchParams}`
}

/** Only the dashboard may get a one-time token: elsewhere, even on this site, third-party code may run. */
export function redirectTarget(origins: readonly string[], asked: string | undefined): string | null {
  if (asked === undefined || !URL.canParse(asked)) return null
  const url = new URL(asked)
  const isDashboard = url.pathname === '/admin' || url.pathname.startsWith('/admin/')
  if (!origins.includes(url.origin) || !isDashboard || url.username !== '' || url.password !== '') return null
  return url.origin + url.pathname
}

/** The link in an email. */
export function tokenLink(
  config: Config,
  { kind, token }: Pick<IssuedToken, 'kind' | 'token'>,
  redirectTo: string | null,
): string {
  const link = new URL(`${authIssuer(config)}/verify`)
  link.searchParams.set('token', token)
  link.searchParams.set('type', typeOfKind(kind))
  if (redirectTo !== null) link.searchParams.set('redirect_to', redirectTo)
  return link.href
}
