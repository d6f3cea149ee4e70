import type { Db } from '../db/database.ts'
import { addressBlock } from '../http/address-block.ts'
import { countHit } from '../http/rate-limit.ts'

export interface FloodLimit {
  hits: number
  windowMs: number
}

const MAX_REMEMBERED = 10_000

/** Counts posts per address in the shared table, and remembers who is over, so that a flood costs no more writes. */
export class FloodGuard {
  readonly #db: Db
  readonly #limit: FloodLimit
  readonly #blockedUntil = new Map<string, number>()

  constructor(db: Db, limit: FloodLimit) {
    this.#db = db
    this.#limit = limit
  }

  /** Seconds until the address may post again, or null when it may now. */
  async check(address: string, now: number): Promise<number | null> {
    const key = `newsletter:${addressBlock(address)}`
    const remaining = this.#remembered(key, now)
    if (remaining !== null) return remaining
    const { count, retryAfterSeconds } = await countHit(this.#db, key, this.#limit.windowMs, now)
    if (count <= this.#limit.hits) return null
    this.#remember(key, now + retryAfterSeconds * 1000)
    return retryAfterSeconds
  }

  #remembered(key: string, now: number): number | null {
    const until = this.#blockedUntil.get(key)
    if (until === undefined) return null
    const remaining = until - now
    // A wait beyond the window means that the clock went back: better to count afresh than to lock somebody out.
    if (remaining > 0 && remaining <= this.#limit.windowMs) return Math.ceil(remaining / 1000)
    this.#blockedUntil.delete(key)
    return null
  }

  #remember(key: string, until: number): void {
    const oldest = this.#blockedUntil.keys().next().value
    if (this.#blockedUntil.size >= MAX_REMEMBERED && oldest !== undefined) this.#blockedUntil.delete(oldest)
    this.#blockedUntil.set(key, until)
  }
}
