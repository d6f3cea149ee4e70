import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'
import type { Claim } from './claim-due.ts'
import type { LaneWork, Outcome, Row } from './lane.ts'

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
