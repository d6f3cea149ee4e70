import type { Db } from '../db/database.ts'
import { inSteps } from '../db/in-steps.ts'

export interface Requeued {
  /** Had been given up. */
  failed: number
  /** Were waiting for their next attempt. */
  waiting: number
}

/** For when the webhook works again: what was given up starts over, and what waits is due now. */
export async function requeue(db: Db, now: number): Promise<Requeued> {
  const at = new Date(now).toISOString()
  const waiting = await inSteps(async (rows) => {
    const { numUpdatedRows } = await db
      .updateTable('newsletter_subscriptions')
      .set({ next_attempt_at: at })
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('newsletter_subscriptions')
          .select('id')
          .where('status', '=', 'pending')
          .where('next_attempt_at', '>', at)
          .limit(rows),
      )
      .executeTakeFirstOrThrow()
    return numUpdatedRows
  })
  const failed = await inSteps(async (rows) => {
    const { numUpdatedRows } = await db
      .updateTable('newsletter_subscriptions')
      .set({ status: 'pending', attempts: 0, next_attempt_at: at, leased_until: null })
      .where('id', 'in', (eb) =>
        eb.selectFrom('newsletter_subscriptions').select('id').where('status', '=', 'failed').limit(rows),
      )
      .executeTakeFirstOrThrow()
    return numUpdatedRows
  })
  return { failed, waiting }
}
