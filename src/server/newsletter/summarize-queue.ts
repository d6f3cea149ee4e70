import type { Db } from '../db/database.ts'

export interface QueueSummary {
  pending: number
  delivered: number
  failed: number
  /** When the one that has waited longest was stored. */
  oldestPendingAt: string | null
  nextAttemptAt: string | null
  /** Why the last attempt of those that still wait or failed did not succeed, most frequent first. */
  errors: { reason: string; count: number }[]
}

/** How the queue stands, without naming anybody. */
export async function summarizeQueue(db: Db): Promise<QueueSummary> {
  const rows = await db
    .selectFrom('newsletter_subscriptions')
    .select((eb) => ['status', eb.fn.countAll<number>().as('count'), eb.fn.min('created_at').as('oldest')])
    .groupBy('status')
    .execute()
  const errors = await db
    .selectFrom('newsletter_subscriptions')
    .select((eb) => ['last_error as reason', eb.fn.countAll<number>().as('count')])
    .where('last_error', 'is not', null)
    .where('status', '!=', 'delivered')
    .groupBy('last_error')
    .orderBy('count', 'desc')
    .limit(5)
    .execute()
  const next = await db
    .selectFrom('deliveries')
    .select('next_attempt_at')
    .where('pixel_id', 'is', null)
    .where('kind', '=', 'newsletter')
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  const of = (status: string) => rows.find((row) => row.status === status)
  return {
    pending: of('pending')?.count ?? 0,
    delivered: of('delivered')?.count ?? 0,
    failed: of('failed')?.count ?? 0,
    oldestPendingAt: of('pending')?.oldest ?? null,
    nextAttemptAt: next?.next_attempt_at ?? null,
    errors: errors.map(({ reason, count }) => ({ reason: reason ?? '', count })),
  }
}
