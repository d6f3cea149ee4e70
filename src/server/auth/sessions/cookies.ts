import { createHmac, randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DAY_MS, HOUR_MS } from '#contract/durations.ts'
import { readCookie } from '#server/http/requests.ts'
import { isSameSecret } from '#server/secrets/tokens.ts'
import type { Aal } from './issue.ts'

const DEVICE_COOKIE = '__Host-portico-device'

const DEVICE_MAX_SECONDS = 400 * 24 * 60 * 60

interface Device {
  id: string
  /** What this browser has shown: the password, or the second factor as well. */
  aal: Aal
}

/**
 * OWASP's device cookie: it proves that this browser signed in to this account before. Its wrong guesses are counted
 * separately, so that a robot that locks the account does not lock its owner out.
 */
export function readDevice(request: FastifyRequest, secret: string, userId: string): Device | null {
  const [owner, id, signature] = (readCookie(request.headers.cookie, DEVICE_COOKIE) ?? '').split('.')
  if (owner !== userId || id === undefined || signature === undefined) return null
  for (const aal of ['aal2', 'aal1'] as const)
    if (isSameSecret(signature, sign(secret, userId, { id, aal }))) return { id, aal }
  return null
}

/** A browser that passed the second step keeps its id, and with it its count of wrong guesses. */
export function rememberDevice(
  request: FastifyRequest,
  reply: FastifyReply,
  secret: string,
  userId: string,
  aal: Aal,
): void {
  const known = readDevice(request, secret, userId)
  const device = known?.aal === 'aal2' ? known : { id: randomUUID(), aal }
  const value = `${userId}.${device.id}.${sign(secret, userId, device)}`
  reply.header('set-cookie', makeCookie(DEVICE_COOKIE, value, DEVICE_MAX_SECONDS))
}

function sign(secret: string, userId: string, { id, aal }: Device): string {
  const signed = aal === 'aal2' ? `${userId}.${id}.aal2` : `${userId}.${id}`
  return createHmac('sha256', secret).update(signed).digest('base64url')
}

/** With this prefix browsers refuse it from scripts, other paths and plain http. */
const LOGIN_COOKIE = '__Host-Http-portico'

export const LOGIN_IDLE_MS = 12 * HOUR_MS

export const LOGIN_MAX_MS = 7 * DAY_MS

export function readLoginCookie(request: FastifyRequest): string | null {
  return readCookie(request.headers.cookie, LOGIN_COOKIE)
}

export function setLoginCookie(reply: FastifyReply, token: string): void {
  reply.header('set-cookie', makeCookie(LOGIN_COOKIE, token, LOGIN_MAX_MS / 1000))
}

export function clearLoginCookie(reply: FastifyReply): void {
  reply.header('set-cookie', makeCookie(LOGIN_COOKIE, '', 0))
}

/** True for the dashboard's own script, by headers that no script can set. */
export function isFromDashboard(request: FastifyRequest, origins: readonly string[]): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  return site === 'same-origin' && origin !== undefined && origins.includes(origin)
}

/** Lax, so that a link from an email or chat opens the dashboard signed in. */
function makeCookie(name: string, value: string, maxAgeSeconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; Secure; HttpOnly; SameSite=Lax`
}
