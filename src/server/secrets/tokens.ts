import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Six digits, or a short code on paper, could be found by trying them all against a plain hash. The key makes a stolen
 * table of hashes worth nothing without it. `context` ties a hash to its row, so that equal codes do not look equal.
 */
export function keyedHash(secret: string, context: string, code: string): string {
  return createHmac('sha256', secret).update(`${context}\n${code}`).digest('base64url')
}

/** In a time that does not tell where they differ. */
export function isSameSecret(a: string | Buffer, b: string | Buffer): boolean {
  const [left, right] = [toBytes(a), toBytes(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** 256 random bits: nothing to guess, so a plain hash is enough to keep. */
export function makeOpaqueToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashOpaqueToken(token) }
}

export function hashOpaqueToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

function toBytes(value: string | Buffer): Buffer {
  return typeof value === 'string' ? Buffer.from(value) : value
}
