import { randomInt } from 'node:crypto'
import { keyedHash } from '../keys/keyed-hash.ts'

/** Without the letters and digits that are misread from paper. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const HALF = 5

/** 49 bits: `k7m2p-9xqrt`. */
export function makeRecoveryCode(): string {
  const half = () => Array.from({ length: HALF }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return `${half()}-${half()}`
}

/** Capitals, blanks and dashes are how people copy, not part of the code. */
export function hashRecoveryCode(secret: string, userId: string, code: string): string {
  return keyedHash(secret, `recovery:${userId}`, code.toLowerCase().replace(/[^a-z0-9]/g, ''))
}
