import type { Db } from '../db/database.ts'

/** One that was given up starts over, and one that waits is due now; what was delivered stays so. */
export async function retrySubscription(db: Db, id: string, now: number): Promise<boolean> {
  const at = new Date(now).toISOString()
  const { numUpdatedRows } = await db
    .updateTable('newsletter_subscriptions')
    .set((eb) => ({
      next_attempt_at: at,
      attempts: eb.case().when('status', '=', 'failed').then(0).else(eb.ref('attempts')).end(),
      status: 'pending',
    }))
    .where('id', '=', id)
    .where('status', 'in', ['pending', 'failed'])
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
