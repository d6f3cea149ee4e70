import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export interface RateLimitState {
  /** Hits in the current window, this one included. */
  count: number
  /** Until the window ends, at least 1. */
  retryAfterSeconds: number
}

/** Counts one hit. One statement, so that it is exact whichever replica is asked and however many ask at once. */
export async function countHit(
  db: Db,
  key: string,
  windowMs: number,
  now = Date.now(),
): Promise<RateLimitState> {
  const at = new Date(now).toISOString()
  const row = await db
    .insertInto('rate_limits')
    .values({ key, count: 1, expires_at: new Date(now + windowMs).toISOString() })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({
        count: sql<number>`case when ${eb.ref('rate_limits.expires_at')} <= ${at} then 1 else ${eb.ref('rate_limits.count')} + 1 end`,
        expires_at: sql<string>`case when ${eb.ref('rate_limits.expires_at')} <= ${at} then ${eb.ref('excluded.expires_at')} else ${eb.ref('rate_limits.expires_at')} end`,
      })),
    )
    .returning(['count', 'expires_at'])
    .executeTakeFirstOrThrow()
  return { count: row.count, retryAfterSeconds: secondsUntil(row.expires_at, now) }
}

/** Looks without counting. */
export async function readHits(db: Db, key: string, now = Date.now()): Promise<RateLimitState> {
  const row = await db
    .selectFrom('rate_limits')
    .select(['count', 'expires_at'])
    .where('key', '=', key)
    .executeTakeFirst()
  if (row === undefined || Date.parse(row.expires_at) <= now) return { count: 0, retryAfterSeconds: 1 }
  return { count: row.count, retryAfterSeconds: secondsUntil(row.expires_at, now) }
}

export async function forgetHits(db: Db, key: string): Promise<void> {
  await db.deleteFrom('rate_limits').where('key', '=', key).execute()
}

/** Run now and then: an expired row is worth nothing. */
export async function sweepRateLimits(db: Db, now = Date.now()): Promise<void> {
  await db.deleteFrom('rate_limits').where('expires_at', '<=', new Date(now).toISOString()).execute()
}

function secondsUntil(expiresAt: string, now: number): number {
  return Math.max(1, Math.ceil((Date.parse(expiresAt) - now) / 1000))
}
