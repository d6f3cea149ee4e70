import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'
import { queueSubscriptions } from './queue-subscriptions.ts'

/** One that was given up starts over, and one that waits is due now; what was delivered stays so. */
export async function retrySubscription(db: Db, id: string, now: number): Promise<boolean> {
  return change(db, async (trx) => {
    const opened = await trx
      .updateTable('newsletter_subscriptions')
      .set((eb) => ({
        attempts: eb.case().when('status', '=', 'failed').then(0).else(eb.ref('attempts')).end(),
        status: 'pending',
      }))
      .where('id', '=', id)
      .where('status', 'in', ['pending', 'failed'])
      .returning(['id', 'created_at'])
      .execute()
    await queueSubscriptions(trx, opened, now)
    await trx
      .updateTable('deliveries')
      .set({ next_attempt_at: new Date(now).toISOString() })
      .where('subscription_id', '=', id)
      // What is being sent now has its say first.
      .where('leased_until', 'is', null)
      .execute()
    return opened.length > 0
  })
}
