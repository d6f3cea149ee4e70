import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'
import { inSteps } from '../db/in-steps.ts'
import { makeDue } from '../db/make-due.ts'
import { queueSubscriptions } from './queue-subscriptions.ts'

export interface Requeued {
  /** Had been given up. */
  failed: number
  /** Were waiting for their next attempt. */
  waiting: number
}

/** For when the webhook works again: what was given up starts over, and what waits is due now. */
export async function requeue(db: Db, now: number): Promise<Requeued> {
  const waiting = await makeDue(db, { kind: 'newsletter' }, now)
  const failed = await inSteps((rows) =>
    change(db, async (trx) => {
      const opened = await trx
        .updateTable('newsletter_subscriptions')
        .set({ status: 'pending', attempts: 0 })
        .where('id', 'in', (eb) =>
          eb.selectFrom('newsletter_subscriptions').select('id').where('status', '=', 'failed').limit(rows),
        )
        .returning(['id', 'created_at'])
        .execute()
      await queueSubscriptions(trx, opened, now)
      return BigInt(opened.length)
    }),
  )
  return { failed, waiting }
}
