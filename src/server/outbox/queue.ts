import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import type { Schema } from '../db/schema/index.ts'
import type { Deliveries } from '../db/schema/outbox.ts'
import { inBatches } from '../db/sweep.ts'
import { aheadRange } from '../db/time.ts'
import { change } from '../db/transactions/change.ts'
import type { LaneWork, Outcome, RoundDeps, Row } from './channel.ts'

interface Held {
  /** Resolves when the leases are no longer touched. */
  letGo(): Promise<void>
}

/**
 * Renews the leases of a round for as long as it runs, so that they can be short: what a killed process held is free
 * soon, and what a slow vendor holds up is not sent a second time meanwhile.
 */
export function holdClaims({ db, now, leaseMs }: RoundDeps, claims: readonly Claim[]): Held {
  let renewing = Promise.resolve()
  const timer = setInterval(() => {
    renewing = renewing.then(renew)
  }, leaseMs / 3)
  timer.unref()

  async function renew(): Promise<void> {
    const until = new Date(now() + leaseMs).toISOString()
    try {
      for (const [former, same] of Map.groupBy(claims, ({ leased_until }) => leased_until)) {
        const kept = await db
          .updateTable('deliveries')
          .set({ leased_until: until, next_attempt_at: until })
          .where(
            'id',
            'in',
            same.map(({ id }) => id),
          )
          .where('leased_until', '=', former)
          .returning('id')
          .execute()
        const ours = new Set(kept.map(({ id }) => id))
        for (const claim of same) if (ours.has(claim.id)) claim.leased_until = until
      }
    } catch {
      // The database is away: the next renewal comes in time, or the lease ends and another takes the row.
    }
  }

  return {
    async letGo() {
      clearInterval(timer)
      await renewing
    },
  }
}

/**
 * Writes down what a round came to, in one transaction: what is settled leaves the queue, whoever holds it now; what
 * waits gets its next time, unless another took it over after our lease ended, who then has the last word on it.
 */
export async function settleOutcomes<Job extends Row>(
  db: Db,
  { backOff, record }: Pick<LaneWork<Job>, 'backOff' | 'record'>,
  { claims, outcomes }: { claims: readonly Claim[]; outcomes: readonly Outcome<Job>[] },
  now: number,
): Promise<void> {
  const claimOf = new Map(claims.map((claim) => [claim.id, claim]))
  const settled = outcomes.filter(({ state }) => state !== 'waiting').map(({ job }) => job.id)
  const waiting = outcomes.filter(({ state }) => state === 'waiting')
  await change(db, async (trx) => {
    const ours = new Set<string>()
    if (settled.length > 0) {
      const left = await trx.deleteFrom('deliveries').where('id', 'in', settled).returning('id').execute()
      for (const { id } of left) ours.add(id)
    }
    // What failed together comes back together: it is sent together.
    const alike = Map.groupBy(waiting, ({ job, afterMs, isUntouched }) => {
      const claim = claimOf.get(job.id)
      return JSON.stringify([claim?.attempts, claim?.leased_until, afterMs, isUntouched])
    })
    for (const [first, ...rest] of alike.values()) {
      if (first === undefined) continue
      const { job, afterMs, isUntouched } = first
      const { attempts: begun = 1, leased_until = '' } = claimOf.get(job.id) ?? {}
      const attempts = isUntouched ? begun - 1 : begun
      const wait = isUntouched ? (afterMs ?? 0) : backOff.after(attempts, afterMs)
      const kept = await trx
        .updateTable('deliveries')
        .set({
          attempts,
          sent_at: null,
          leased_until: null,
          next_attempt_at: new Date(now + wait).toISOString(),
        })
        .where(
          'id',
          'in',
          [first, ...rest].map((outcome) => outcome.job.id),
        )
        .where('leased_until', '=', leased_until)
        .returning('id')
        .execute()
      for (const { id } of kept) ours.add(id)
    }
    await record?.(trx, outcomes, ({ job }) => ours.has(job.id))
  })
}

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

interface ClaimOptions {
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
export async function findDue(db: Db, kind: JobKind): Promise<string | null> {
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

/** What waits for its next attempt is due now, however much it is; gives how many. */
export function makeDue(db: Db, scope: DeliveryScope, now: number): Promise<number> {
  const at = new Date(now).toISOString()
  return inBatches(async (rows) => {
    const { numUpdatedRows } = await db
      .updateTable('deliveries')
      .set({ next_attempt_at: at })
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('deliveries')
          .select('id')
          .where((of) => isInScope(of, scope))
          .where('next_attempt_at', '>', at)
          // What is being sent now has its say first.
          .where('leased_until', 'is', null)
          .limit(rows),
      )
      .executeTakeFirstOrThrow()
    return numUpdatedRows
  })
}

/** Kinds that belong to no pixel. */
export type JobKind = 'newsletter' | 'mail' | 'account-mail'

/** Rows of the queue that are taken together: a pixel's, or all of a kind. */
export type DeliveryScope = { pixelId: string } | { kind: JobKind }

/** Whether a row is one that the lane takes from. */
function isInScope(eb: ExpressionBuilder<Schema, 'deliveries'>, scope: DeliveryScope): Expression<SqlBool> {
  if ('pixelId' in scope) return eb('pixel_id', '=', scope.pixelId)
  return eb.and([eb('pixel_id', 'is', null), eb('kind', '=', scope.kind)])
}
