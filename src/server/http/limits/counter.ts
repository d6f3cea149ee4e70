import { type AliasedRawBuilder, sql } from 'kysely'
import type { Db } from '#server/db/database.ts'
import { engineOf } from '#server/db/dialect.ts'
import { aheadRange, isUnexpired } from '#server/db/time.ts'
import { RegularFlush } from '#server/db/transactions/flush.ts'
import type { Logger } from '../logging/logger.ts'
import type { GuessLimit, Limit } from './limits.ts'

export interface Hit extends Limit {
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
 * counts yet can let through one limit of its own: the overshoot is at most one `max` for each further replica.
 */
export class RateCounter {
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
    return window !== undefined && isUnexpired(window.endsAt, windowMs, now) ? window : undefined
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
    if (window === undefined || !isUnexpired(endsAt, window.windowMs, now)) return
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
      if (!isUnexpired(endsAt, windowMs, now)) this.#windows.delete(key)
  }
}

interface RateLimitState {
  /** Hits in the current window, this one included. */
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

/** No window of calls is longer, so one that ends later than this was written while the clock was wrong. */
const LONGEST_WINDOW_MS = 60 * 60_000

/** Guesses are remembered this long after the last one: longer than any wait between two. */
export const GUESSES_KEPT_MS = 12 * 60 * 60_000

/**
 * Counts one hit, in one statement, so that it is exact whichever replica is asked and however many ask at once: what
 * guesses at secrets and mail are counted by. For calls that anyone can make there is `PublicLimits`.
 */
export async function countHit(
  db: Db,
  key: string,
  windowMs: number,
  now = Date.now(),
): Promise<RateLimitState> {
  const hit = { key, count: 1, expires_at: new Date(now + windowMs).toISOString() }
  const [row] = await addHits(db, [hit], windowMs, now)
  if (row === undefined) throw new Error('a counted hit has no row')
  return { count: row.count, retryAfterSeconds: secondsUntil(row.expires_at, now) }
}

/**
 * Adds hits to their windows, opening new ones where the old have ended, and gives back what is then stored. The rows
 * must be sorted by key: two replicas that lock the same rows in different orders would wait for each other.
 */
function addHits(
  db: Db,
  rows: readonly StoredHits[],
  longestWindowMs: number,
  now: number,
): Promise<StoredHits[]> {
  const { after, upTo } = aheadRange(longestWindowMs, now)
  const ended = sql<boolean>`(rate_limits.expires_at <= ${after} or rate_limits.expires_at > ${upTo})`
  return (
    db
      .insertInto('rate_limits')
      .columns(['key', 'count', 'expires_at'])
      // SQLite would take "on conflict" for the condition of a join, were there no condition before it.
      .expression((eb) => eb.selectFrom(asTable(db, rows)).selectAll().where(sql<boolean>`true`))
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({
          count: sql<number>`case when ${ended} then excluded.count else rate_limits.count + excluded.count end`,
          expires_at: sql<string>`case when ${ended} then excluded.expires_at else rate_limits.expires_at end`,
        }),
      )
      .returning(['key', 'count', 'expires_at'])
      .execute()
  )
}

/** One parameter for all rows: a statement with thousands of them takes longer to compose than to run. */
function asTable(db: Db, rows: readonly StoredHits[]): AliasedRawBuilder<StoredHits, 'hits'> {
  const list = JSON.stringify(rows.map(({ key, count, expires_at }) => [key, count, expires_at]))
  const query =
    engineOf(db) === 'postgres'
      ? sql<StoredHits>`(select hit ->> 0, (hit ->> 1)::integer, (hit ->> 2)::timestamptz
          from jsonb_array_elements(${list}::jsonb) as hit)`
      : sql<StoredHits>`(select value ->> 0, value ->> 1, value ->> 2 from json_each(${list}))`
  return query.as('hits')
}

/** Looks without counting. */
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

/**
 * Counts a guess before it is looked at, in one statement, so that guesses side by side learn no more than one by one.
 * Null when the wait after the last one is not over. A row of guesses ends `GUESSES_KEPT_MS` after the last of them.
 */
export async function countGuess(
  db: Db,
  key: string,
  { free, waitsMs }: GuessLimit,
  now = Date.now(),
): Promise<{ count: number } | { waitSeconds: number }> {
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

/** A guess that was right takes nothing from those who guess beside it. */
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
