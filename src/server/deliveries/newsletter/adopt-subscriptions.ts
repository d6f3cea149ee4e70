import type { Db } from '#server/db/database.ts'
import { inSteps } from '#server/db/in-steps.ts'

/**
 * Queues subscriptions that wait and are not in the queue: a backup or an export holds them and not the queue, and an
 * older process beside this one stores them alone. What such a process holds at the moment is left to it.
 */
export async function adoptSubscriptions(db: Db, now: number): Promise<number> {
  const at = new Date(now).toISOString()
  return inSteps(async (rows) => {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('deliveries')
      .columns(['id', 'kind', 'subscription_id', 'payload', 'attempts', 'next_attempt_at', 'created_at'])
      .expression((eb) =>
        eb
          .selectFrom('newsletter_subscriptions as waiting')
          .select((of) => [
            'waiting.id',
            of.val('newsletter').as('kind'),
            'waiting.id as subscription_id',
            of.val('{}').as('payload'),
            'waiting.attempts',
            'waiting.next_attempt_at',
            'waiting.created_at',
          ])
          .where('waiting.status', '=', 'pending')
          .where((of) =>
            of.or([of('waiting.leased_until', 'is', null), of('waiting.leased_until', '<=', at)]),
          )
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('deliveries as queued')
                  .select('queued.id')
                  .whereRef('queued.subscription_id', '=', 'waiting.id'),
              ),
            ),
          )
          .limit(rows),
      )
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    return numInsertedOrUpdatedRows ?? 0n
  })
}
