import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Short codes could be found by trying them all against a plain hash. With the key, a stolen table of hashes is
 * useless. `context` binds a hash to its row, so that equal codes have different hashes.
 */
export function keyedHash(secret: string, context: string, code: string): string {
  return createHmac('sha256', secret).update(`${context}\n${code}`).digest('base64url')
}

/** A key for one purpose. Who has one of them can compute neither `secret` nor the others. */
export function deriveKey(secret: string | Buffer, purpose: string): Buffer {
  return createHmac('sha256', secret).update(purpose).digest()
}

/** In constant time. */
export function isSameSecret(a: string | Buffer, b: string | Buffer): boolean {
  const [left, right] = [toBytes(a), toBytes(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** 256 random bits cannot be guessed, so a plain hash is enough. */
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
