import { hashOpaqueToken, makeOpaqueToken } from '#server/http/opaque-token.ts'

/** 16 bytes, as base64url writes them. */
const SESSION_LENGTH = 22
const SECRET_LENGTH = 43

/**
 * A refresh token names its session before its 256 random bits, so that one whose row was pruned is still known for what
 * it is: a token of that session that was exchanged long ago.
 */
export function makeRefreshToken(sessionId: string): { token: string; hash: string } {
  const session = Buffer.from(sessionId.replaceAll('-', ''), 'hex').toString('base64url')
  const token = session + makeOpaqueToken().token
  return { token, hash: hashOpaqueToken(token) }
}

/** The session that a token says it belongs to; null for one from before tokens said so. */
export function sessionOfRefreshToken(token: string): string | null {
  if (token.length !== SESSION_LENGTH + SECRET_LENGTH) return null
  const hex = Buffer.from(token.slice(0, SESSION_LENGTH), 'base64url').toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
