import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readCookie } from '#server/http/read-cookie.ts'
import { makeCookie } from './cookies.ts'
import type { Aal } from './open-session.ts'

const DEVICE_COOKIE = '__Host-portico-device'
const DEVICE_MAX_SECONDS = 400 * 24 * 60 * 60

interface Device {
  id: string
  /** What this browser has shown of the account: its password, or the second step as well. */
  aal: Aal
}

/**
 * OWASP's device cookie: it proves that this browser signed in to this account before, and nothing else. Its wrong
 * guesses are counted apart, so that a robot that locks the account does not lock its owner out.
 */
export function readDevice(request: FastifyRequest, secret: string, userId: string): Device | null {
  const [owner, id, signature] = (readCookie(request.headers.cookie, DEVICE_COOKIE) ?? '').split('.')
  if (owner !== userId || id === undefined || signature === undefined) return null
  const given = Buffer.from(signature)
  for (const aal of ['aal2', 'aal1'] as const) {
    const expected = Buffer.from(sign(secret, userId, { id, aal }))
    if (given.length === expected.length && timingSafeEqual(given, expected)) return { id, aal }
  }
  return null
}

/** A browser that showed the second step keeps its id, and with it what it guessed wrong. */
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
