import type { Db } from '../db/database.ts'

export interface QueueSize {
  pending: number
  failed: number
  /** When the one that has waited longest was stored. */
  oldestPendingAt: string | null
}

/** How much waits and since when; of those that were delivered nothing is read. */
export async function measureQueue(db: Db): Promise<QueueSize> {
  const of = (status: 'pending' | 'failed') =>
    db
      .selectFrom('newsletter_subscriptions')
      .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('created_at').as('oldest')])
      .where('status', '=', status)
      .executeTakeFirstOrThrow()
  const [pending, failed] = [await of('pending'), await of('failed')]
  return {
    pending: Number(pending.count),
    failed: Number(failed.count),
    oldestPendingAt: pending.oldest,
  }
}
