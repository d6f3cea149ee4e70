import type { Generated } from 'kysely'
import type { Timestamp } from './index.ts'

interface NewsletterSubscriptions {
  id: string
  email: string
  status: 'pending' | 'delivered' | 'failed'
  /** Sent as the idempotency key of every attempt. */
  delivery_key: string
  attempts: Generated<number>
  next_attempt_at: Timestamp
  /** While in the future, one worker is at it. */
  leased_until: Timestamp | null
  last_error: string | null
  created_at: Timestamp
  delivered_at: Timestamp | null
}

/** Who subscribed. */
export interface NewsletterTables {
  newsletter_subscriptions: NewsletterSubscriptions
}
