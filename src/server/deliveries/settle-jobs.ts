import { randomUUID } from 'node:crypto'
import type { DeliveryState } from '#contract/delivery-log.ts'
import { change } from '../db/change.ts'
import { countSettled } from '../db/count-settled.ts'
import type { Db } from '../db/database.ts'
import { delayAfter } from './back-off.ts'
import type { Job } from './job.ts'

const LOGGED = 20

/** What one job came to. */
export interface Outcome {
  job: Job
  state: DeliveryState
  reason: string
  answer: string
  message: string
  /** Of what waits: not before; null leaves it to the back-off. */
  afterMs: number | null
  /** Of what waits: the attempt was none. */
  isUntouched: boolean
}

export interface Stop {
  code: string
  message: string
}

/**
 * Writes down what a round came to, in one transaction: rows that left the queue are counted as they leave, each once,
 * whoever else deletes them. True when this process was the one that stopped the pixel.
 */
export async function settleJobs(
  db: Db,
  pixelId: string,
  outcomes: readonly Outcome[],
  stop: Stop | null,
  now: number,
): Promise<boolean> {
  const settled = outcomes.filter(({ state }) => state !== 'waiting')
  const waiting = outcomes.filter(({ state }) => state === 'waiting')
  return change(db, async (trx) => {
    if (settled.length > 0) {
      const left = await trx
        .deleteFrom('deliveries')
        .where(
          'id',
          'in',
          settled.map(({ job }) => job.id),
        )
        .returning('id')
        .execute()
      const gone = new Set(left.map(({ id }) => id))
      await countSettled(
        trx,
        settled
          .filter(({ job }) => gone.has(job.id))
          .map(({ job, state, reason }) => ({
            pixel_id: pixelId,
            created_at: job.created_at,
            state: state as Exclude<DeliveryState, 'waiting'>,
            reason,
          })),
      )
    }
    for (const { job, afterMs, isUntouched } of waiting) {
      const attempts = isUntouched ? job.attempts - 1 : job.attempts
      const wait = isUntouched ? (afterMs ?? 0) : delayAfter(attempts, afterMs)
      await trx
        .updateTable('deliveries')
        .set({
          attempts,
          sent_at: null,
          leased_until: null,
          next_attempt_at: new Date(now + wait).toISOString(),
        })
        .where('id', '=', job.id)
        // Whoever took the row over after our lease ended has the last word on it.
        .where('leased_until', '=', job.leased_until)
        .execute()
    }
    await log(
      trx,
      pixelId,
      outcomes.filter(({ isUntouched }) => !isUntouched),
      now,
    )
    return noteStop(
      trx,
      pixelId,
      stop,
      settled.some(({ state }) => state === 'accepted'),
      now,
    )
  })
}

async function noteStop(
  trx: Db,
  pixelId: string,
  stop: Stop | null,
  isTaken: boolean,
  now: number,
): Promise<boolean> {
  if (stop === null) {
    if (isTaken) await trx.deleteFrom('delivery_stops').where('pixel_id', '=', pixelId).execute()
    return false
  }
  const known = await trx
    .selectFrom('delivery_stops')
    .select('code')
    .where('pixel_id', '=', pixelId)
    .executeTakeFirst()
  const row = { ...stop, stopped_at: new Date(now).toISOString() }
  await trx
    .insertInto('delivery_stops')
    .values({ pixel_id: pixelId, ...row })
    .onConflict((conflict) => conflict.column('pixel_id').doUpdateSet(row))
    .execute()
  return known === undefined
}

/** The last twenty of the pixel, for the dashboard. */
async function log(trx: Db, pixelId: string, outcomes: readonly Outcome[], now: number): Promise<void> {
  const last = outcomes.slice(-LOGGED)
  if (last.length === 0) return
  await trx
    .insertInto('delivery_log')
    .values(
      last.map(({ job, state, answer, message }) => ({
        id: randomUUID(),
        pixel_id: pixelId,
        event: job.event,
        state,
        attempts: job.attempts,
        answer,
        message,
        created_at: new Date(now).toISOString(),
      })),
    )
    .execute()
  await trx
    .deleteFrom('delivery_log')
    .where('pixel_id', '=', pixelId)
    .where('id', 'not in', (eb) =>
      eb
        .selectFrom('delivery_log')
        .select('id')
        .where('pixel_id', '=', pixelId)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(LOGGED),
    )
    .execute()
}
