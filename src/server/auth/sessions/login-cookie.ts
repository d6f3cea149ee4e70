import type { FastifyReply, FastifyRequest } from 'fastify'
import { readCookie } from '#server/http/read-cookie.ts'
import { makeCookie } from './cookies.ts'

/** The prefix makes browsers refuse it from scripts, from other paths and from plain http. */
const LOGIN_COOKIE = '__Host-Http-portico'

export const LOGIN_IDLE_MS = 12 * 60 * 60 * 1000
export const LOGIN_MAX_MS = 7 * 24 * 60 * 60 * 1000

export function readLoginCookie(request: FastifyRequest): string | null {
  return readCookie(request.headers.cookie, LOGIN_COOKIE)
}

export function setLoginCookie(reply: FastifyReply, token: string): void {
  reply.header('set-cookie', makeCookie(LOGIN_COOKIE, token, LOGIN_MAX_MS / 1000))
}

export function clearLoginCookie(reply: FastifyReply): void {
  reply.header('set-cookie', makeCookie(LOGIN_COOKIE, '', 0))
}

/** The dashboard's own script: a browser says so in headers that no script can set. */
export function isFromDashboard(request: FastifyRequest, origins: readonly string[]): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  return site === 'same-origin' && origin !== undefined && origins.includes(origin)
}
