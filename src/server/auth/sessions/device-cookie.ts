import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readCookie } from '#server/http/read-cookie.ts'
import { makeCookie } from './cookies.ts'

const DEVICE_COOKIE = '__Host-portico-device'
const DEVICE_MAX_SECONDS = 400 * 24 * 60 * 60

/**
 * OWASP's device cookie: it proves that this browser signed in to this account before, and nothing else. Its wrong
 * guesses are counted apart, so that a robot that locks the account does not lock its owner out.
 */
export function readDevice(request: FastifyRequest, secret: string, userId: string): string | null {
  const [owner, device, signature] = (readCookie(request.headers.cookie, DEVICE_COOKIE) ?? '').split('.')
  if (owner !== userId || device === undefined || signature === undefined) return null
  const expected = Buffer.from(sign(secret, owner, device))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected) ? device : null
}

export function setDeviceCookie(reply: FastifyReply, secret: string, userId: string): void {
  const device = randomUUID()
  const value = `${userId}.${device}.${sign(secret, userId, device)}`
  reply.header('set-cookie', makeCookie(DEVICE_COOKIE, value, DEVICE_MAX_SECONDS))
}

function sign(secret: string, userId: string, device: string): string {
  return createHmac('sha256', secret).update(`${userId}.${device}`).digest('base64url')
}
