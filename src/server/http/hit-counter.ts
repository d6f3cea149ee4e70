import type { Db } from '../db/database.ts'
import { isStillAhead } from '../db/stored-time.ts'
import type { Logger } from './logger.ts'
import { addHits, LONGEST_WINDOW_MS, type StoredHits, secondsUntil } from './rate-limit.ts'
import { RegularFlush } from './regular-flush.ts'

export interface Allowance {
  max: number
  windowMs: number
}

export interface Hit extends Allowance {
  key: string
}

interface Window {
  windowMs: number
  endsAt: number
  /** What every replica together let through, as far as is known here. */
  count: number
  /** Of those, what only this process knows. */
  unsent: number
}

interface HitCounterOptions {
  maxWindows?: number
  flushMs?: number
}

/** About 10 MB. Past it the oldest window is forgotten, and learned again from the database when it is next written. */
const MAX_WINDOWS = 50_000
/** What one statement brings back is gone through at once. */
const ROWS_PER_STATEMENT = 500
const TIDY_EVERY_FLUSHES = 30

/**
 * Counts in memory what anyone can call, and shares the counts with the other replicas once a second. Only calls that
 * are let through are counted, so a refused one costs nothing but a look. A replica that has not heard of the others'
 * counts yet can let through one allowance of its own: the overshoot is at most one `max` for each further replica.
 */
export class HitCounter {
  readonly #db: Db
  readonly #maxWindows: number
  readonly #windows = new Map<string, Window>()
  readonly #flush: RegularFlush
  readonly #unsent = new Set<string>()
  #flushes = 0

  constructor(
    db: Db,
    log: Pick<Logger, 'warn'>,
    { maxWindows = MAX_WINDOWS, flushMs }: HitCounterOptions = {},
  ) {
    this.#db = db
    this.#flush = new RegularFlush({
      what: 'shared limits',
      write: () => this.#send(),
      log,
      everyMs: flushMs,
    })
    this.#maxWindows = maxWindows
  }

  /** Counts one hit under every key; if one of them is used up, counts none and says for how many seconds it is. */
  take(hits: readonly Hit[], now = Date.now()): number | null {
    const windows = hits.map((hit) => this.#open(hit, now))
    let wait: number | null = null
    for (const [index, { max }] of hits.entries()) {
      const window = windows[index]
      if (window !== undefined && window.count >= max)
        wait = Math.max(wait ?? 0, secondsUntil(window.endsAt, now))
    }
    if (wait !== null) return wait
    for (const [index, hit] of hits.entries()) {
      const window = windows[index] ?? this.#begin(hit, now)
      window.count++
      window.unsent++
      this.#unsent.add(hit.key)
    }
    return null
  }

  /** Counts under these keys one hit less: what it was taken for did not happen. */
  giveBack(hits: readonly Hit[], now = Date.now()): void {
    for (const hit of hits) {
      const window = this.#open(hit, now)
      if (window === undefined || window.count === 0) continue
      window.count--
      window.unsent--
      this.#unsent.add(hit.key)
    }
  }

  /** What every replica together let through in the window that is open, as far as is known here. */
  countOf(hit: Hit, now = Date.now()): number {
    return this.#open(hit, now)?.count ?? 0
  }

  flush(): Promise<void> {
    return this.#flush.now()
  }

  stop(): Promise<void> {
    return this.#flush.stop()
  }

  /** As if every window had ended. */
  clear(): void {
    this.#windows.clear()
    this.#unsent.clear()
  }

  #open({ key, windowMs }: Hit, now: number): Window | undefined {
    const window = this.#windows.get(key)
    return window !== undefined && isStillAhead(window.endsAt, windowMs, now) ? window : undefined
  }

  #begin({ key, windowMs }: Hit, now: number): Window {
    const oldest = this.#windows.keys().next().value
    if (this.#windows.size >= this.#maxWindows && oldest !== undefined) this.#windows.delete(oldest)
    const window = { windowMs, endsAt: now + windowMs, count: 0, unsent: 0 }
    // Anew, so that the first of the map stays the one that began first.
    this.#windows.delete(key)
    this.#windows.set(key, window)
    return window
  }

  async #send(): Promise<void> {
    const now = Date.now()
    if (this.#flushes++ % TIDY_EVERY_FLUSHES === 0) this.#tidy(now)
    const keys = [...this.#unsent].sort()
    for (let from = 0; from < keys.length; from += ROWS_PER_STATEMENT)
      await this.#sendSome(keys.slice(from, from + ROWS_PER_STATEMENT), now)
  }

  async #sendSome(keys: readonly string[], now: number): Promise<void> {
    const rows: StoredHits[] = []
    for (const key of keys) {
      this.#unsent.delete(key)
      const window = this.#windows.get(key)
      if (window === undefined || window.unsent === 0) continue
      rows.push({ key, count: window.unsent, expires_at: new Date(window.endsAt).toISOString() })
      window.unsent = 0
    }
    if (rows.length === 0) return
    try {
      for (const row of await addHits(this.#db, rows, LONGEST_WINDOW_MS, now)) this.#learn(row, now)
    } catch (error) {
      for (const row of rows) this.#keep(row)
      throw error
    }
  }

  #learn({ key, count, expires_at }: StoredHits, now: number): void {
    const window = this.#windows.get(key)
    const endsAt = Date.parse(expires_at)
    if (window === undefined || !isStillAhead(endsAt, window.windowMs, now)) return
    window.count = count + window.unsent
    window.endsAt = endsAt
  }

  #keep({ key, count, expires_at }: StoredHits): void {
    const window = this.#windows.get(key)
    // A new window that began meanwhile owes nothing to the old one.
    if (window === undefined || new Date(window.endsAt).toISOString() !== expires_at) return
    window.unsent += count
    this.#unsent.add(key)
  }

  #tidy(now: number): void {
    for (const [key, { endsAt, windowMs }] of this.#windows)
      if (!isStillAhead(endsAt, windowMs, now)) this.#windows.delete(key)
  }
}
