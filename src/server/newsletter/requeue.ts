import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'

export interface Requeued {
  /** Had been given up. */
  failed: number
  /** Were waiting for their next attempt. */
  waiting: number
}

/** For when the webhook works again: what was given up starts over, and what waits is due now. */
export async function requeue(db: Db, now: number): Promise<Requeued> {
  const at = new Date(now).toISOString()
  return await change(db, async (trx) => {
    const waiting = await trx
      .updateTable('newsletter_subscriptions')
      .set({ next_attempt_at: at })
      .where('status', '=', 'pending')
      .where('next_attempt_at', '>', at)
      .executeTakeFirstOrThrow()
    const failed = await trx
      .updateTable('newsletter_subscriptions')
      .set({ status: 'pending', attempts: 0, next_attempt_at: at, leased_until: null })
      .where('status', '=', 'failed')
      .executeTakeFirstOrThrow()
    return { failed: Number(failed.numUpdatedRows), waiting: Number(waiting.numUpdatedRows) }
  })
}
