import type { Db } from '../db/database.ts'

/** Puts subscriptions into the queue, due at once, in the transaction that opened them. */
export async function queueSubscriptions(
  trx: Db,
  subscriptions: readonly { id: string; created_at: string }[],
  now: number,
): Promise<void> {
  if (subscriptions.length === 0) return
  await trx
    .insertInto('deliveries')
    .values(
      subscriptions.map(({ id, created_at }) => ({
        id,
        kind: 'newsletter' as const,
        subscription_id: id,
        payload: '{}',
        next_attempt_at: new Date(now).toISOString(),
        created_at,
      })),
    )
    // Given up by an older process, which knows of no queue: it waits there already.
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}
