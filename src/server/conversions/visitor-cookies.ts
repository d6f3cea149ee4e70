import { randomInt, randomUUID } from 'node:crypto'
import { isUuid } from '#contract/uuid.ts'
import { readCookie } from '../http/requests.ts'

const DAY_S = 86_400

/** As Meta's own script keeps them. */
const META_AGE_S = 90 * DAY_S

/** As long as the choice that allows them. */
export const VISITOR_COOKIE_DAYS = 182

const OWN_AGE_S = VISITOR_COOKIE_DAYS * DAY_S

const SESSION_GAP_MS = 30 * 60_000

const MAX_INT = 2_147_483_647

export const META_COOKIES = ['_fbp', '_fbc'] as const

/** The fifth part is what Meta's builder appends. */
const FBP = /^fb\.\d\.\d{13}\.\d{1,18}(\.[\w-]{2,8})?$/

const FBC = /^fb\.\d\.\d{13}\.([\w.-]{1,300}?)(\.[\w-]{8}|\.[\w-]{2})?$/

const CLICK_ID = /^[\w.-]{1,300}$/

/** Its layout is not documented; the client ID is the last two parts. */
const GOOGLE_CLIENT = /^GA\d\.[\d-]+\.(\d{1,10}\.\d{1,10})$/

const ANALYTICS = /^(\d{1,10}\.\d{1,10})\.(\d{10})\.(\d{13})$/

interface CookieContext {
  header: string | undefined
  host: string
  isSecure: boolean
  now: number
}

interface Identity<Values> {
  values: Values
  /** `Set-Cookie` headers. */
  cookies: string[]
}

/** A number of ours that tells one browser's events from another's. */
export function identifyVisitor(context: CookieContext): Identity<{ visitor: string }> {
  const found = readCookie(context.header, VISITOR_COOKIE) ?? ''
  const visitor = isUuid(found) ? found.toLowerCase() : randomUUID()
  return { values: { visitor }, cookies: [makeCookie(context, VISITOR_COOKIE, visitor, OWN_AGE_S, true)] }
}

/** Meta's browser and click IDs, as its own script would make them. */
export function identifyForMeta(
  context: CookieContext,
  { clickId, readByScript }: { clickId: string | undefined; readByScript: boolean },
): Identity<{ fbp: string; fbc?: string }> {
  const { header, host, now } = context
  const level = Math.max(1, host.split('.').length - 1)
  const foundFbp = readCookie(header, '_fbp') ?? ''
  const fbp = FBP.test(foundFbp) ? foundFbp : `fb.${level}.${now}.${randomInt(MAX_INT)}`
  const foundFbc = readCookie(header, '_fbc') ?? ''
  const known = FBC.exec(foundFbc)
  const isNews = clickId !== undefined && CLICK_ID.test(clickId) && known?.[1] !== clickId
  const fbc = isNews ? `fb.${level}.${now}.${clickId}` : known === null ? undefined : foundFbc
  const keep = (name: string, value: string) => makeCookie(context, name, value, META_AGE_S, !readByScript)
  return {
    values: { fbp, ...(fbc === undefined ? {} : { fbc }) },
    cookies: [keep('_fbp', fbp), ...(fbc === undefined ? [] : [keep('_fbc', fbc)])],
  }
}

/** Client and session of Google Analytics; after half an hour without an event another session begins. */
export function identifyForAnalytics(
  context: CookieContext,
): Identity<{ client: string; session: string; engagementMs: number }> {
  const { header, now } = context
  const [, known, started = '', last = ''] = ANALYTICS.exec(readCookie(header, ANALYTICS_COOKIE) ?? '') ?? []
  const [, fromTag] = GOOGLE_CLIENT.exec(readCookie(header, '_ga') ?? '') ?? []
  const seconds = Math.floor(now / 1000)
  const client = known ?? fromTag ?? `${randomInt(1, MAX_INT)}.${seconds}`
  const idleMs = known === undefined ? Number.POSITIVE_INFINITY : now - Number(last)
  const goesOn = idleMs >= 0 && idleMs < SESSION_GAP_MS
  const session = goesOn ? started : String(seconds)
  return {
    values: { client, session, engagementMs: goesOn ? Math.max(1, idleMs) : 1 },
    cookies: [makeCookie(context, ANALYTICS_COOKIE, `${client}.${session}.${now}`, OWN_AGE_S, true)],
  }
}

/** Of the host alone: what a registrable domain is, only a list that changes knows. */
function makeCookie(
  { isSecure }: CookieContext,
  name: string,
  value: string,
  maxAge: number,
  httpOnly: boolean,
): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; SameSite=Lax${isSecure ? '; Secure' : ''}${httpOnly ? '; HttpOnly' : ''}`
}

/** Ends those that the browser sent. */
export function expireCookies(
  header: string | undefined,
  isSecure: boolean,
  names: readonly string[],
): string[] {
  return names
    .filter((name) => readCookie(header, name) !== null)
    .map((name) => `${name}=; Path=/; Max-Age=0; SameSite=Lax${isSecure ? '; Secure' : ''}`)
}

/** Cookies that our server sets for a visitor who allowed what they are for. */
export const VISITOR_COOKIE = 'portico_visitor'

export const ANALYTICS_COOKIE = 'portico_analytics'
