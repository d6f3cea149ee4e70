import { engineOf } from '../db/column-types.ts'
import type { Db } from '../db/database.ts'
import type { Deliveries } from '../db/delivery-schema.ts'
import { type DeliveryScope, isInScope } from '../db/delivery-scope.ts'
import { aheadRange } from '../db/stored-time.ts'

/** What a process has taken, until the lease ends. */
export interface Claim
  extends Pick<
    Deliveries,
    | 'id'
    | 'pixel_id'
    | 'event_id'
    | 'event'
    | 'consent_id'
    | 'category'
    | 'payload'
    | 'subscription_id'
    | 'sealed'
    | 'created_at'
    | 'expires_at'
  > {
  /** Those that were begun, this one among them. */
  attempts: number
  /** Names this claim: whoever holds another value of it has lost the row. */
  leased_until: string
  /** A process that is gone may have sent it to a vendor that counts twice what comes twice. */
  maybeSent: boolean
}

export interface ClaimOptions {
  scope: DeliveryScope
  now: number
  limit: number
  leaseMs: number
  /** The furthest ahead that an attempt is ever put. */
  longestDelayMs: number
  /** Notes each as sent before it is: what then comes back unsettled is not sent again. */
  atMostOnce: boolean
}

/**
 * Takes what is due, oldest first, until the lease ends: it is not due before. One statement, so one short transaction;
 * `skip locked` lets replicas take different rows at once. A time further ahead than we ever write was written before the
 * clock was set back, and counts as past; those are asked for apart, so that both use the index.
 */
export async function claimDue(db: Db, options: ClaimOptions): Promise<Claim[]> {
  const { now, longestDelayMs } = options
  const due = await claim(db, options, '<=', new Date(now).toISOString())
  if (due.length > 0) return due
  return claim(db, options, '>', aheadRange(longestDelayMs, now).upTo)
}

async function claim(
  db: Db,
  { scope, now, limit, leaseMs, atMostOnce }: ClaimOptions,
  comparison: '<=' | '>',
  time: string,
): Promise<Claim[]> {
  const until = new Date(now + leaseMs).toISOString()
  const rows = await db
    .with('due', (qb) =>
      qb
        .selectFrom('deliveries')
        .select('id')
        .where((eb) => isInScope(eb, scope))
        .where('next_attempt_at', comparison, time)
        .orderBy('next_attempt_at')
        .limit(limit)
        .$if(engineOf(db) === 'postgres', (query) => query.forUpdate().skipLocked()),
    )
    .updateTable('deliveries')
    // `attempts` counts those that were begun: a second claim of what is sent at most once is told by it.
    .set((eb) => ({
      leased_until: until,
      next_attempt_at: until,
      attempts: eb('attempts', '+', 1),
      ...(atMostOnce ? { sent_at: eb.fn.coalesce('sent_at', eb.val(new Date(now).toISOString())) } : {}),
    }))
    .where('id', 'in', (eb) => eb.selectFrom('due').select('id'))
    .returning([
      'id',
      'pixel_id',
      'event_id',
      'event',
      'consent_id',
      'category',
      'payload',
      'subscription_id',
      'sealed',
      'attempts',
      'leased_until',
      'sent_at',
      'created_at',
      'expires_at',
    ])
    .execute()
  return rows.map(({ sent_at, leased_until, ...row }) => ({
    ...row,
    leased_until: leased_until ?? until,
    maybeSent: sent_at !== null && Date.parse(sent_at) !== now,
  }))
}

/** When the first of a kind is due that no pixel stands for. */
export async function findDue(db: Db, kind: 'newsletter' | 'mail'): Promise<string | null> {
  const row = await db
    .selectFrom('deliveries')
    .select('next_attempt_at')
    .where((eb) => isInScope(eb, { kind }))
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  return row?.next_attempt_at ?? null
}

/** Only where no other process can hold one: what a killed server left is due again at once, and was no attempt. */
export async function releaseEveryLease(db: Db, now: number): Promise<void> {
  await db
    .updateTable('deliveries')
    .set((eb) => ({
      leased_until: null,
      next_attempt_at: new Date(now).toISOString(),
      attempts: eb('attempts', '-', 1),
    }))
    .where('leased_until', 'is not', null)
    .execute()
}
