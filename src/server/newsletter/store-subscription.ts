import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'
import { queueSubscriptions } from './queue-subscriptions.ts'

/**
 * Resolves when the subscription and its place in the queue are durable. Subscribing again changes nothing, unless
 * delivery had been given up: then it is opened again, under the same key. False where nothing changed.
 */
export async function storeSubscription(db: Db, email: string, now: number): Promise<boolean> {
  const at = new Date(now).toISOString()
  return change(db, async (trx) => {
    const opened = await trx
      .insertInto('newsletter_subscriptions')
      .values({
        id: randomUUID(),
        email,
        status: 'pending',
        delivery_key: randomUUID(),
        next_attempt_at: at,
        created_at: at,
      })
      .onConflict((conflict) =>
        conflict
          .expression(sql`lower(email)`)
          .doUpdateSet({ status: 'pending', attempts: 0, next_attempt_at: at, last_error: null })
          .where('newsletter_subscriptions.status', '=', 'failed'),
      )
      .returning(['id', 'created_at'])
      .execute()
    await queueSubscriptions(trx, opened, now)
    return opened.length > 0
  })
}
