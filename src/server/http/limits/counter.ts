import { sql } from 'kysely'
import { HOUR_MS } from '#contract/durations.ts'
import type { Db } from '#server/db/database.ts'
import { asTable } from '#server/db/dialect.ts'
import { aheadRange, isUnexpired } from '#server/db/time.ts'
import { RegularFlush } from '#server/db/transactions/flush.ts'
import type { Logger } from '../logging/logger.ts'
import type { GuessLimit, Limit } from './limits.ts'

export interface Hit extends Limit {
  key: string
  /** Defaults to 1. */
  by?: number
}

interface Window {
  windowMs: number
  endsAt: number
  /** Calls allowed by all processes, as far as this one knows. */
  count: number
  /** Of those, what only this process knows. */
  unsent: number
}

interface HitCounterOptions {
  maxWindows?: number
  flushMs?: number
}

/** About 10 MB. Beyond it the oldest are dropped, and read from the database when they are next written. */
const MAX_WINDOWS = 50_000

/** Rows of one statement are processed at once. */
const ROWS_PER_STATEMENT = 500

const TIDY_EVERY_FLUSHES = 30

/**
 * Counts public calls in memory and shares the counts with other processes once a second. Only allowed calls are
 * counted, so a refused one costs no write. A crash of PostgreSQL forgets them (`rate_windows`). A process that has not
 * seen the others' counts yet can allow one limit of its own: the overshoot is at most one `max` per further process.
 */
export class RateCounter {
  readonly #db: Db
  readonly #maxWindows: number
  /** Ordered by start. */
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

  /** Counts one hit under every key; if one is used up, counts none and returns the seconds until it ends. */
  take(hits: readonly Hit[], now = Date.now()): number | null {
    const windows = hits.map((hit) => this.#open(hit, now))
    let wait: number | null = null
    for (const [index, { max, by = 1 }] of hits.entries()) {
      const window = windows[index]
      if (window !== undefined && window.count + by > max)
        wait = Math.max(wait ?? 0, secondsUntil(window.endsAt, now))
    }
    if (wait !== null) return wait
    for (const [index, hit] of hits.entries()) {
      const window = windows[index] ?? this.#begin(hit, now)
      window.count += hit.by ?? 1
      window.unsent += hit.by ?? 1
      this.#unsent.add(hit.key)
    }
    return null
  }

  /** Subtracts one hit: what it was for did not happen. */
  giveBack(hits: readonly Hit[], now = Date.now()): void {
    for (const hit of hits) {
      const window = this.#open(hit, now)
      if (window === undefined || window.count === 0) continue
      window.count--
      window.unsent--
      this.#unsent.add(hit.key)
    }
  }

  /** Calls allowed by all processes in the open window, as far as this one knows. */
  countOf(hit: Hit, now = Date.now()): number {
    return this.#open(hit, now)?.count ?? 0
  }

  flush(): Promise<void> {
    return this.#flush.now()
  }

  stop(): Promise<void> {
    return this.#flush.stop()
  }

  /** Ends every window. */
  clear(): void {
    this.#windows.clear()
    this.#unsent.clear()
  }

  #open({ key, windowMs }: Hit, now: number): Window | undefined {
    const window = this.#windows.get(key)
    return window !== undefined && isUnexpired(window.endsAt, windowMs, now) ? window : undefined
  }

  #begin({ key, windowMs }: Hit, now: number): Window {
    const window = { windowMs, endsAt: now + windowMs, count: 0, unsent: 0 }
    // Inserted again, so that it becomes the newest.
    this.#windows.delete(key)
    if (this.#windows.size >= this.#maxWindows) this.#dropOldest()
    this.#windows.set(key, window)
    return window
  }

  /** Drops a tenth at once, because finding the first key of a map takes a walk over all that were deleted before it. */
  #dropOldest(): void {
    const kept = Math.floor(0.9 * this.#maxWindows)
    for (const key of this.#windows.keys()) {
      if (this.#windows.size <= kept) return
      this.#windows.delete(key)
    }
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
      for (const row of await addHits(this.#db, 'rate_windows', rows, LONGEST_WINDOW_MS, now))
        this.#learn(row, now)
    } catch (error) {
      for (const row of rows) this.#keep(row)
      throw error
    }
  }

  #learn({ key, count, expires_at }: StoredHits, now: number): void {
    const window = this.#windows.get(key)
    const endsAt = Date.parse(expires_at)
    if (window === undefined || !isUnexpired(endsAt, window.windowMs, now)) return
    window.count = count + window.unsent
    window.endsAt = endsAt
  }

  #keep({ key, count, expires_at }: StoredHits): void {
    const window = this.#windows.get(key)
    // A new window has begun since and does not inherit the old count.
    if (window === undefined || new Date(window.endsAt).toISOString() !== expires_at) return
    window.unsent += count
    this.#unsent.add(key)
  }

  #tidy(now: number): void {
    for (const [key, { endsAt, windowMs }] of this.#windows)
      if (!isUnexpired(endsAt, windowMs, now)) this.#windows.delete(key)
  }
}

interface RateLimitState {
  /** Hits in the current window, including this one. */
  count: number
  /** Until the window ends, at least 1. */
  retryAfterSeconds: number
}

interface StoredHits {
  key: string
  count: number
  /** When the window ends. */
  expires_at: string
}

const COLUMNS = { key: 'text', count: 'integer', expires_at: 'timestamptz' } as const

/** No window of calls is longer: one that ends later was written by a wrong clock. */
const LONGEST_WINDOW_MS = HOUR_MS

/** How long guesses are kept after the last one: longer than any wait. */
export const GUESSES_KEPT_MS = 12 * HOUR_MS

/**
 * Counts one hit in one statement, so that it is exact across processes and parallel calls, and durable. Used for
 * guesses at secrets and for email; for public calls use `PublicLimits`.
 */
export async function countHit(
  db: Db,
  key: string,
  windowMs: number,
  now = Date.now(),
): Promise<RateLimitState> {
  const hit = { key, count: 1, expires_at: new Date(now + windowMs).toISOString() }
  const [row] = await addHits(db, 'rate_limits', [hit], windowMs, now)
  if (row === undefined) throw new Error('the counted hit has no row')
  return { count: row.count, retryAfterSeconds: secondsUntil(row.expires_at, now) }
}

/**
 * Adds hits to their windows, opens new ones where the old have ended, and returns the stored values. The rows must be
 * sorted by key: two processes that lock the same rows in different orders would deadlock.
 */
function addHits(
  db: Db,
  table: 'rate_limits' | 'rate_windows',
  rows: readonly StoredHits[],
  longestWindowMs: number,
  now: number,
): Promise<StoredHits[]> {
  const { after, upTo } = aheadRange(longestWindowMs, now)
  const stored = { count: sql.ref(`${table}.count`), expires_at: sql.ref(`${table}.expires_at`) }
  const ended = sql<boolean>`(${stored.expires_at} <= ${after} or ${stored.expires_at} > ${upTo})`
  return (
    db
      .insertInto(table)
      .columns(['key', 'count', 'expires_at'])
      // Without a condition SQLite would parse "on conflict" as that of a join.
      .expression((eb) =>
        eb
          .selectFrom(asTable(db, COLUMNS, rows))
          .selectAll()
          .where(sql<boolean>`true`),
      )
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({
          count: sql<number>`case when ${ended} then excluded.count else ${stored.count} + excluded.count end`,
          expires_at: sql<string>`case when ${ended} then excluded.expires_at else ${stored.expires_at} end`,
        }),
      )
      .returning(['key', 'count', 'expires_at'])
      .execute()
  )
}

/** Reads without counting. */
export async function readHits(
  db: Db,
  key: string,
  windowMs = LONGEST_WINDOW_MS,
  now = Date.now(),
): Promise<RateLimitState> {
  const row = await db
    .selectFrom('rate_limits')
    .select(['count', 'expires_at'])
    .where('key', '=', key)
    .executeTakeFirst()
  if (row === undefined || !isUnexpired(row.expires_at, windowMs, now))
    return { count: 0, retryAfterSeconds: 1 }
  return { count: row.count, retryAfterSeconds: secondsUntil(row.expires_at, now) }
}

/** Calls that all processes allowed in the open windows of these keys, up to the last second. */
export async function readWindows(
  db: Db,
  keys: readonly string[],
  now = Date.now(),
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.selectFrom('rate_windows').selectAll().where('key', 'in', keys).execute()
  const open = rows.filter(({ expires_at }) => isUnexpired(expires_at, LONGEST_WINDOW_MS, now))
  return new Map(open.map(({ key, count }) => [key, count]))
}

/** A guess that was counted, or how long to wait before the next one. */
export type CountedGuess = { count: number } | { waitSeconds: number }

/**
 * Counts a guess before it is checked, in one statement, so that parallel guesses learn no more than sequential ones.
 * Null while the wait after the last one is not over. A row ends `GUESSES_KEPT_MS` after its last guess.
 */
export async function countGuess(
  db: Db,
  key: string,
  limit: Limit | GuessLimit,
  now = Date.now(),
): Promise<CountedGuess> {
  if ('waitsMs' in limit) return countWithWaits(db, key, limit, now)
  const { count, retryAfterSeconds } = await countHit(db, key, limit.windowMs, now)
  return count > limit.max ? { waitSeconds: retryAfterSeconds } : { count }
}

/** Not counted while the wait after the last one is not over. A row ends `GUESSES_KEPT_MS` after its last guess. */
async function countWithWaits(
  db: Db,
  key: string,
  { free, waitsMs }: GuessLimit,
  now: number,
): Promise<CountedGuess> {
  const { after, upTo } = aheadRange(GUESSES_KEPT_MS, now)
  const ended = sql<boolean>`(rate_limits.expires_at <= ${after} or rate_limits.expires_at > ${upTo})`
  const lastGuessBefore = (waitMs: number) => new Date(now + GUESSES_KEPT_MS - waitMs).toISOString()
  const expires_at = new Date(now + GUESSES_KEPT_MS).toISOString()
  const counted = await db
    .insertInto('rate_limits')
    .values({ key, count: 1, expires_at })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          count: sql<number>`case when ${ended} then 1 else rate_limits.count + 1 end`,
          expires_at,
        })
        .where((eb) =>
          eb.or([
            ended,
            eb('rate_limits.count', '<', free),
            ...waitsMs.map((waitMs, index) =>
              eb.and([
                eb('rate_limits.count', index === waitsMs.length - 1 ? '>=' : '=', free + index),
                eb('rate_limits.expires_at', '<=', lastGuessBefore(waitMs)),
              ]),
            ),
          ]),
        ),
    )
    .returning('count')
    .executeTakeFirst()
  if (counted !== undefined) return counted
  const { count, retryAfterSeconds } = await readHits(db, key, GUESSES_KEPT_MS, now)
  const waitMs = waitsMs[Math.min(Math.max(count - free, 0), waitsMs.length - 1)] ?? 0
  return { waitSeconds: Math.max(1, retryAfterSeconds - (GUESSES_KEPT_MS - waitMs) / 1000) }
}

/** Subtracts a right guess, so that parallel guesses are not affected. */
export async function giveBackGuess(db: Db, key: string): Promise<void> {
  await db
    .updateTable('rate_limits')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute()
}

export async function forgetHits(db: Db, key: string): Promise<void> {
  await db.deleteFrom('rate_limits').where('key', '=', key).execute()
}

function secondsUntil(time: string | number, now: number): number {
  const at = typeof time === 'number' ? time : Date.parse(time)
  return Math.max(1, Math.ceil((at - now) / 1000))
}
