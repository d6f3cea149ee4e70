import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits: nothing to guess, so a plain hash is enough to keep. */
export function makeOpaqueToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashOpaqueToken(token) }
}

export function hashOpaqueToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
