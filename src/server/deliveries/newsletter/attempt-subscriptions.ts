import type { Db } from '#server/db/database.ts'
import type { Claim } from '../claim-due.ts'
import type { Outcome } from '../lane.ts'
import { settled, untouched } from '../outcome.ts'
import type { OutgoingClient } from '../outgoing-client.ts'
import { LAST_ATTEMPT } from './back-off.ts'
import { postSubscription, type Webhook } from './post-subscription.ts'

/** A subscription that this process has claimed. */
export interface SubscriptionJob {
  id: string
  attempts: number
}

interface AttemptDeps {
  db: Db
  client: OutgoingClient
  webhook: Webhook
  signal: AbortSignal
}

/** The address is read from the subscription when it is sent: whoever was erased meanwhile is told to nobody. */
export async function attemptSubscriptions(
  { db, client, webhook, signal }: AttemptDeps,
  claims: readonly Claim[],
): Promise<Outcome<SubscriptionJob>[]> {
  const people = await db
    .selectFrom('newsletter_subscriptions')
    .select(['id', 'email', 'delivery_key', 'status'])
    .where(
      'id',
      'in',
      claims.map(({ id }) => id),
    )
    .execute()
  const found = new Map(people.map((person) => [person.id, person]))
  return Promise.all(
    claims.map(async ({ id, attempts }) => {
      const job = { id, attempts }
      const person = found.get(id)
      // Erased, or delivered by an older process that knows of no queue.
      if (person === undefined || person.status === 'delivered') return settled(job, 'withheld', '', '')
      const result = await postSubscription(client, webhook, person, signal)
      if (result.kind === 'interrupted') return untouched(job)
      if (result.kind === 'delivered') return settled(job, 'accepted', '', '')
      if (attempts >= LAST_ATTEMPT) return settled(job, 'refused', result.reason, '')
      return {
        job,
        state: 'waiting',
        reason: '',
        answer: result.reason,
        message: '',
        afterMs: result.retryAfterMs,
        isUntouched: false,
      }
    }),
  )
}
