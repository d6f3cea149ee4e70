import { setTimeout as sleep } from 'node:timers/promises'
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { isUnavailable } from '../db/errors.ts'
import type { Schema } from '../db/schema/index.ts'
import type { Deliveries } from '../db/schema/outbox.ts'
import { inBatches } from '../db/sweep.ts'
import { aheadRange } from '../db/time.ts'
import { change } from '../db/transactions/change.ts'
import type { ChannelWork, Outcome, RoundDeps, Row } from './channel.ts'
import { endRest, noteRest, readRests } from './rest.ts'

interface Held {
  /** Stores the outcomes, again and again while the database is unavailable, so that nothing is sent twice. */
  settle(store: () => Promise<void>): Promise<void>
  /** Resolves when the leases are no longer renewed. */
  letGo(): Promise<void>
}

/** The pause before outcomes are stored again. It doubles up to the longest. */
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000

/**
 * Renews the leases of a running round, so that leases can be short: jobs of a killed process are free soon, and a slow
 * vendor or a slow database does not cause a second send.
 */
export function holdClaims(
  { db, now, leaseMs, signal }: Pick<RoundDeps, 'db' | 'now' | 'leaseMs' | 'signal'>,
  claims: readonly Claim[],
): Held {
  let running: Promise<unknown> = Promise.resolve()
  /** One at a time: outcomes are stored by lease, which a renewal changes. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = running.then(work)
    running = done.catch(() => {})
    return done
  }
  const timer = setInterval(() => void inTurn(renew), leaseMs / 3)
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
      // The database is unavailable: the next renewal comes in time, or the lease ends and another process takes the
      // row.
    }
  }

  return {
    async settle(store) {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
        try {
          return await inTurn(store)
        } catch (error) {
          if (!isUnavailable(error) || signal.aborted) throw error
          await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {})
        }
      }
    },
    async letGo() {
      clearInterval(timer)
      await running
    },
  }
}

/**
 * Stores the outcomes of a round in one transaction: settled jobs leave the queue; waiting jobs get their next time,
 * unless another process took them over after our lease ended. Storing them again changes nothing.
 */
export async function settleOutcomes<Job extends Row>(
  db: Db,
  { scope, backOff, record }: Pick<ChannelWork<Job>, 'scope' | 'backOff' | 'record'>,
  {
    claims,
    outcomes,
    failures = null,
  }: { claims: readonly Claim[]; outcomes: readonly Outcome<Job>[]; failures?: number | null },
  now: number,
): Promise<void> {
  const claimOf = new Map(claims.map((claim) => [claim.id, claim]))
  const settled = outcomes.filter(({ state }) => state !== 'waiting').map(({ job }) => job.id)
  const returned = outcomes
    .filter(({ state }) => state === 'waiting')
    .map(({ job, afterMs, isUntouched }): Returned => {
      const { attempts: begun = 1, leased_until = '' } = claimOf.get(job.id) ?? {}
      const attempts = isUntouched ? begun - 1 : begun
      // Each with its own jitter: jobs that failed together do not return together.
      const wait = isUntouched ? (afterMs ?? 0) : backOff.after(attempts, afterMs)
      return [job.id, leased_until, attempts, new Date(now + wait).toISOString()]
    })
  await change(db, async (trx) => {
    const ours = new Set<string>()
    if (settled.length > 0) {
      const left = await trx.deleteFrom('deliveries').where('id', 'in', settled).returning('id').execute()
      for (const { id } of left) ours.add(id)
    }
    if (returned.length > 0) for (const id of await putBack(trx, returned)) ours.add(id)
    await noteRest(trx, laneOf(scope), { outcomes, failures, now })
    await record?.(trx, outcomes, ({ job }) => ours.has(job.id))
  })
}

/** Id, lease, attempts, and time of the next attempt. */
type Returned = [string, string, number, string]

/** One statement with one parameter, however many jobs there are. Returns those that we still held. */
async function putBack(trx: Db, returned: readonly Returned[]): Promise<string[]> {
  const list = JSON.stringify(returned)
  const { rows } =
    engineOf(trx) === 'postgres'
      ? await sql<{ id: string }>`
          update deliveries
          set attempts = (job ->> 2)::int, sent_at = null, leased_until = null,
            next_attempt_at = (job ->> 3)::timestamptz
          from json_array_elements(${list}::json) as job
          where id = (job ->> 0)::uuid and leased_until = (job ->> 1)::timestamptz
          returning id
        `.execute(trx)
      : await sql<{ id: string }>`
          update deliveries
          set attempts = job.value ->> 2, sent_at = null, leased_until = null, next_attempt_at = job.value ->> 3
          from json_each(${list}) as job
          where deliveries.id = job.value ->> 0 and leased_until = job.value ->> 1
          returning deliveries.id as id
        `.execute(trx)
  return rows.map(({ id }) => id)
}

/** A row that a process has taken until its lease ends. */
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
  /** Attempts started so far, including this one. */
  attempts: number
  /** Identifies this claim: a process with another value has lost the row. */
  leased_until: string
  /** A process that ended may have sent it to a vendor that counts duplicates. */
  maybeSent: boolean
}

interface ClaimOptions {
  scope: DeliveryScope
  now: number
  limit: number
  leaseMs: number
  /** The longest delay of an attempt. */
  longestDelayMs: number
  /** Marks each as sent before sending: if it returns unsettled, it is not sent again. */
  atMostOnce: boolean
}

/**
 * Takes due jobs, oldest first, until the lease ends. One statement; `skip locked` lets processes take different rows
 * at once. A time further ahead than we ever write comes from before the clock was set back and counts as past; those
 * rows are queried separately, so that both queries use the index.
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
    // `attempts` counts started attempts: it shows a second claim of an at-most-once job.
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

/** When the first job of the scope is due. */
export async function findDue(db: Db, scope: DeliveryScope): Promise<string | null> {
  const row = await db
    .selectFrom('deliveries')
    .select('next_attempt_at')
    .where((eb) => isInScope(eb, scope))
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  return row?.next_attempt_at ?? null
}

/** When a job of the scope is tried next: when it is due, or later if the lane rests longer. */
export async function findNextAttempt(db: Db, scope: DeliveryScope): Promise<string | null> {
  const due = await findDue(db, scope)
  if (due === null) return null
  const until = (await readRests(db)).get(laneOf(scope))
  return until !== undefined && Date.parse(until) > Date.parse(due) ? until : due
}

/**
 * Only if no other process can hold a lease: jobs of a killed server are due again at once, without counting the
 * attempt.
 */
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

/** Makes waiting jobs due now, also if their lane rests; returns how many. */
export async function makeDue(db: Db, scope: DeliveryScope, now: number): Promise<number> {
  const at = new Date(now).toISOString()
  await endRest(db, laneOf(scope))
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
          // Jobs being sent are left alone.
          .where('leased_until', 'is', null)
          .limit(rows),
      )
      .executeTakeFirstOrThrow()
    return numUpdatedRows
  })
}

/** Kinds of jobs without a pixel. */
export type JobKind = 'newsletter' | 'mail' | 'account-mail' | 'chat' | 'confirmation'

/** Jobs that are claimed together: those of a pixel, or of a kind. */
export type DeliveryScope = { pixelId: string } | { kind: JobKind }

/** The lane's key in every process. */
export function laneOf(scope: DeliveryScope): string {
  return 'pixelId' in scope ? scope.pixelId : scope.kind
}

/** Condition for rows of the lane. */
function isInScope(eb: ExpressionBuilder<Schema, 'deliveries'>, scope: DeliveryScope): Expression<SqlBool> {
  if ('pixelId' in scope) return eb('pixel_id', '=', scope.pixelId)
  return eb.and([eb('pixel_id', 'is', null), eb('kind', '=', scope.kind)])
}
