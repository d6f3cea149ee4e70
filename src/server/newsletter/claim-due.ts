import { engineOf } from '../db/column-types.ts'
import type { Db } from '../db/database.ts'
import { aheadRange } from '../db/stored-time.ts'
import { LONGEST_DELAY_MS } from './back-off.ts'

export interface ClaimedSubscription {
  id: string
  email: string
  delivery_key: string
  attempts: number
  /** Names this claim: whoever holds another value of it has lost the row. */
  leased_until: string | null
}

export interface ClaimOptions {
  now: number
  limit: number
  leaseMs: number
}

/**
 * Takes due subscriptions, oldest first, for as long as the lease lasts. One statement, so one short transaction;
 * PostgreSQL's `skip locked` lets replicas take different rows at once instead of waiting for each other.
 *
 * A time further ahead than we ever write (an hour for an attempt, a lease for a claim) was written before the clock
 * was set back, and counts as past. Those are asked for apart: both questions together could use no index, and each
 * look would read every row that waits.
 */
export async function claimDue(db: Db, options: ClaimOptions): Promise<ClaimedSubscription[]> {
  const due = await claim(db, options, '<=', new Date(options.now).toISOString())
  if (due.length > 0) return due
  return claim(db, options, '>', aheadRange(LONGEST_DELAY_MS, options.now).upTo)
}

function claim(
  db: Db,
  { now, limit, leaseMs }: ClaimOptions,
  comparison: '<=' | '>',
  time: string,
): Promise<ClaimedSubscription[]> {
  const at = (instant: number) => new Date(instant).toISOString()
  return db
    .with('due', (qb) =>
      qb
        .selectFrom('newsletter_subscriptions')
        .select('id')
        .where('status', '=', 'pending')
        .where('next_attempt_at', comparison, time)
        .where((eb) =>
          eb.or([
            eb('leased_until', 'is', null),
            eb('leased_until', '<=', at(now)),
            eb('leased_until', '>', aheadRange(leaseMs, now).upTo),
          ]),
        )
        .orderBy('next_attempt_at')
        .limit(limit)
        .$if(engineOf(db) === 'postgres', (query) => query.forUpdate().skipLocked()),
    )
    .updateTable('newsletter_subscriptions')
    .set({ leased_until: at(now + leaseMs) })
    .where('id', 'in', (eb) => eb.selectFrom('due').select('id'))
    .returning(['id', 'email', 'delivery_key', 'attempts', 'leased_until'])
    .execute()
}

/** When the next attempt that is not due yet falls due. */
export async function findNextDue(db: Db, now: number): Promise<number | null> {
  const row = await db
    .selectFrom('newsletter_subscriptions')
    .select('next_attempt_at')
    .where('status', '=', 'pending')
    .where('next_attempt_at', '>', new Date(now).toISOString())
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : Date.parse(row.next_attempt_at)
}

/** Only where no other process can hold one: what a killed server left is free again at once. */
export async function releaseEveryLease(db: Db): Promise<void> {
  await db
    .updateTable('newsletter_subscriptions')
    .set({ leased_until: null })
    .where('leased_until', 'is not', null)
    .execute()
}
