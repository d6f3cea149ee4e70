import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'
import { delayAfter, LAST_ATTEMPT, LONGEST_DELAY_MS } from './back-off.ts'
import type { ClaimedSubscription } from './claim-due.ts'
import type { DeliveryResult } from './post-webhook.ts'

export interface Attempt {
  subscription: ClaimedSubscription
  result: DeliveryResult
}

/** Writes down what a round of attempts came to, in one transaction: on SQLite each commit waits for the disk. */
export async function settleAttempts(db: Db, attempts: readonly Attempt[], now: number): Promise<void> {
  const delivered = attempts.filter(({ result }) => result.kind === 'delivered')
  await change(db, async (trx) => {
    if (delivered.length > 0) {
      await trx
        .updateTable('newsletter_subscriptions')
        .set((eb) => ({
          status: 'delivered',
          attempts: eb('attempts', '+', 1),
          delivered_at: new Date(now).toISOString(),
          leased_until: null,
          last_error: null,
        }))
        .where(
          'id',
          'in',
          delivered.map(({ subscription }) => subscription.id),
        )
        .execute()
    }
    for (const { subscription, result } of attempts) {
      if (result.kind === 'delivered') continue
      // Whoever took the row over after our lease ended has the last word on a failure; a delivery is one in any case.
      await trx
        .updateTable('newsletter_subscriptions')
        .set({
          leased_until: null,
          ...(result.kind === 'failed' ? recordFailure(subscription, result, now) : {}),
        })
        .where('id', '=', subscription.id)
        .where('leased_until', '=', subscription.leased_until)
        .execute()
    }
  })
}

function recordFailure(
  subscription: ClaimedSubscription,
  failure: Extract<DeliveryResult, { kind: 'failed' }>,
  now: number,
) {
  const attempts = subscription.attempts + 1
  const wait = Math.min(LONGEST_DELAY_MS, Math.max(delayAfter(attempts), failure.retryAfterMs ?? 0))
  return {
    status: attempts >= LAST_ATTEMPT ? ('failed' as const) : ('pending' as const),
    attempts,
    next_attempt_at: new Date(now + wait).toISOString(),
    last_error: failure.reason,
  }
}
