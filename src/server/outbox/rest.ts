import { MINUTE_MS, SECOND_MS } from '#contract/durations.ts'
import type { Db } from '../db/database.ts'
import { isUnexpired } from '../db/time.ts'
import { backOffBy, type Outcome, type Row } from './channel.ts'

/** How long a lane rests after so many failures in a row. */
const RESTS = backOffBy([1, 2, 4, 8, 15, 30].map((seconds) => seconds * SECOND_MS))

/** A receiver may ask for a longer rest, up to this. */
const LONGEST_MS = 10 * MINUTE_MS

/** A failure this long after the last rest is a new one. */
const FORGOTTEN_MS = 10 * SECOND_MS

/**
 * Lanes whose receiver failed. They rest in every process, because all read this table. When the rest is over, one
 * process tries one job (`takeProbe`): if it is accepted the rest ends, otherwise the next one is longer.
 */
export async function readRests(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('lane_rests').select(['lane', 'until']).execute()
  return new Map(rows.map(({ lane, until }) => [lane, until]))
}

/** How long a lane still rests; 0 if it may be tried. */
export function restLeft(until: string, now: number): number {
  return isUnexpired(until, LONGEST_MS, now) ? Date.parse(until) - now : 0
}

/** Returns the number of failures so far; null if another process tries, or the rest has ended. */
export async function takeProbe(
  db: Db,
  { lane, until, now, leaseMs }: { lane: string; until: string; now: number; leaseMs: number },
): Promise<number | null> {
  const isForgotten = now - Date.parse(until) > FORGOTTEN_MS
  const row = await db
    .updateTable('lane_rests')
    .set({ until: new Date(now + leaseMs).toISOString(), ...(isForgotten ? { failures: 0 } : {}) })
    .where('lane', '=', lane)
    .where('until', '=', until)
    .returning('failures')
    .executeTakeFirst()
  return row?.failures ?? null
}

/** Outcomes that show that the receiver answers. Other settled jobs were not sent. */
const ANSWERED: readonly Outcome['state'][] = ['accepted', 'refused', 'unconfirmed']

/** Stores what a round says about its lane. `failures` is null unless the round was a probe. */
export async function noteRest(
  trx: Db,
  lane: string,
  { outcomes, failures, now }: { outcomes: readonly Outcome<Row>[]; failures: number | null; now: number },
): Promise<void> {
  const failed = outcomes.filter(({ state, isUntouched }) => state === 'waiting' && !isUntouched)
  if (outcomes.some(({ state }) => ANSWERED.includes(state))) {
    if (failures !== null) await endRest(trx, lane)
  } else if (failed.length > 0) {
    const asked = Math.max(...failed.map(({ afterMs }) => afterMs ?? 0))
    const count = (failures ?? 0) + 1
    const ms = Math.max(RESTS.after(count, null), Math.min(asked, LONGEST_MS))
    const row = { failures: count, until: new Date(now + ms).toISOString() }
    await trx
      .insertInto('lane_rests')
      .values({ lane, ...row })
      .onConflict((conflict) =>
        // Rounds that ran beside the first failure add nothing to it.
        failures === null ? conflict.doNothing() : conflict.column('lane').doUpdateSet(row),
      )
      .execute()
  } else if (failures !== null)
    // Nothing was sent: the next probe may begin.
    await trx
      .updateTable('lane_rests')
      .set({ until: new Date(now).toISOString() })
      .where('lane', '=', lane)
      .execute()
}

/** The lane may work at once: its receiver accepted a job, or somebody corrected it. */
export async function endRest(trx: Db, lane: string): Promise<void> {
  await trx.deleteFrom('lane_rests').where('lane', '=', lane).execute()
}
