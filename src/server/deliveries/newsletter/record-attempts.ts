import type { Db } from '#server/db/database.ts'
import type { Outcome } from '../lane.ts'
import type { SubscriptionJob } from './attempt-subscriptions.ts'

/** What the subscription itself says of its delivery, which outlives its place in the queue. */
export async function recordAttempts(
  trx: Db,
  outcomes: readonly Outcome<SubscriptionJob>[],
  isOurs: (outcome: Outcome<SubscriptionJob>) => boolean,
  now: number,
): Promise<void> {
  const accepted = outcomes.filter(({ state }) => state === 'accepted').map(({ job }) => job)
  // A delivery is one in any case; on a failure, whoever took it over after our lease ended has the last word.
  for (const [attempts, jobs] of Map.groupBy(accepted, (job) => job.attempts))
    await trx
      .updateTable('newsletter_subscriptions')
      .set({
        status: 'delivered',
        attempts,
        delivered_at: new Date(now).toISOString(),
        leased_until: null,
        last_error: null,
      })
      .where(
        'id',
        'in',
        jobs.map(({ id }) => id),
      )
      .where('status', '!=', 'delivered')
      .execute()
  for (const outcome of outcomes) {
    const { job, state, answer, isUntouched } = outcome
    if ((state !== 'waiting' && state !== 'refused') || isUntouched || !isOurs(outcome)) continue
    await trx
      .updateTable('newsletter_subscriptions')
      .set({
        status: state === 'waiting' ? 'pending' : 'failed',
        attempts: job.attempts,
        last_error: answer,
      })
      .where('id', '=', job.id)
      .where('status', '!=', 'delivered')
      .execute()
  }
}
