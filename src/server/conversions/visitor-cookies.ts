import { randomUUID } from 'node:crypto'
import { isUuid } from '#contract/uuid.ts'
import { readCookie } from '../http/requests.ts'

const DAY_S = 86_400

/** The cookie that our server sets for visitors who consented; all destinations share it. */
export const VISITOR_COOKIE = 'portico_visitor'

/** As long as the choice that allows it. */
export const VISITOR_COOKIE_DAYS = 182

export interface CookieContext {
  header: string | undefined
  host: string
  isSecure: boolean
  now: number
}

export interface Identity<Values> {
  values: Values
  /** `Set-Cookie` headers. */
  cookies: string[]
}

/** A random ID that tells one browser's events from another's. */
export function identifyVisitor(context: CookieContext): Identity<{ visitor: string }> {
  const found = readCookie(context.header, VISITOR_COOKIE) ?? ''
  const visitor = isUuid(found) ? found.toLowerCase() : randomUUID()
  return {
    values: { visitor },
    cookies: [makeCookie(context, { name: VISITOR_COOKIE, days: VISITOR_COOKIE_DAYS }, visitor)],
  }
}

/** For the host only: finding the registrable domain needs a list that changes. */
export function makeCookie(
  { isSecure }: CookieContext,
  { name, days }: { name: string; days: number },
  value: string,
  httpOnly = true,
): string {
  return `${name}=${value}; Path=/; Max-Age=${days * DAY_S}; SameSite=Lax${isSecure ? '; Secure' : ''}${httpOnly ? '; HttpOnly' : ''}`
}

/** Expires the cookies that the browser sent. */
export function expireCookies(
  header: string | undefined,
  isSecure: boolean,
  names: readonly string[],
): string[] {
  return names
    .filter((name) => readCookie(header, name) !== null)
    .map((name) => `${name}=; Path=/; Max-Age=0; SameSite=Lax${isSecure ? '; Secure' : ''}`)
}
