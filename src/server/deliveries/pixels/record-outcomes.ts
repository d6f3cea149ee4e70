import { randomUUID } from 'node:crypto'
import type { DeliveryState } from '#contract/conversions.ts'
import { countSettled } from '#server/db/count-settled.ts'
import type { Db } from '#server/db/database.ts'
import { post } from '#server/db/post.ts'
import type { Job } from '../job.ts'
import type { Outcome } from '../lane.ts'

const LOGGED = 20

export interface Stop {
  code: string
  message: string
}

interface Recorded {
  pixelId: string
  outcomes: readonly Outcome<Job>[]
  isOurs: (outcome: Outcome<Job>) => boolean
  stop: Stop | null
  now: number
}

/**
 * What is kept of a pixel's round: rows that left the queue are counted as they leave, each once, whoever else deletes
 * them. True when this process was the one that stopped the pixel.
 */
export async function recordOutcomes(trx: Db, recorded: Recorded): Promise<boolean> {
  const { pixelId, outcomes, isOurs, now } = recorded
  await countSettled(
    trx,
    outcomes
      .filter((outcome) => outcome.state !== 'waiting' && isOurs(outcome))
      .map(({ job, state, reason }) => ({
        pixel_id: pixelId,
        created_at: job.created_at,
        state: state as Exclude<DeliveryState, 'waiting'>,
        reason,
      })),
  )
  await log(
    trx,
    pixelId,
    outcomes.filter(({ isUntouched }) => !isUntouched),
    now,
  )
  const isAccepted = outcomes.some(({ state }) => state === 'accepted')
  return noteStop(trx, { pixelId, stop: recorded.stop, isAccepted, now })
}

/** True when it was not stopped before. What is accepted ends a stop. */
export async function noteStop(
  trx: Db,
  { pixelId, stop, isAccepted, now }: Pick<Recorded, 'pixelId' | 'stop' | 'now'> & { isAccepted: boolean },
): Promise<boolean> {
  if (stop === null) {
    if (isAccepted) await post(trx, trx.deleteFrom('delivery_stops').where('pixel_id', '=', pixelId))
    return false
  }
  const at = new Date(now).toISOString()
  const first = await trx
    .insertInto('delivery_stops')
    .values({ pixel_id: pixelId, ...stop, stopped_at: at, tried_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('pixel_id')
    .executeTakeFirst()
  if (first !== undefined) return true
  await trx
    .updateTable('delivery_stops')
    .set({ ...stop, tried_at: at })
    .where('pixel_id', '=', pixelId)
    .execute()
  return false
}

/** The last twenty of the pixel, for the dashboard. */
async function log(trx: Db, pixelId: string, outcomes: readonly Outcome<Job>[], now: number): Promise<void> {
  const last = outcomes.slice(-LOGGED)
  if (last.length === 0) return
  const rows = last.map(({ job, state, answer, message }) => ({
    id: randomUUID(),
    pixel_id: pixelId,
    event: job.event,
    state,
    attempts: job.attempts,
    answer,
    message,
    created_at: new Date(now).toISOString(),
  }))
  await post(trx, trx.insertInto('delivery_log').values(rows))
  const older = trx
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
  await post(trx, older)
}
