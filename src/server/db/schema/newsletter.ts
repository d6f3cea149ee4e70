import type { Generated } from 'kysely'
import type { Timestamp } from './index.ts'

interface NewsletterSubscriptions {
  id: string
  email: string
  status: 'pending' | 'delivered' | 'failed'
  /** The idempotency key of every attempt. */
  delivery_key: string
  attempts: Generated<number>
  next_attempt_at: Timestamp
  /** While in the future, a worker holds it. */
  leased_until: Timestamp | null
  last_error: string | null
  created_at: Timestamp
  delivered_at: Timestamp | null
}

/** Subscriptions. */
export interface NewsletterTables {
  newsletter_subscriptions: NewsletterSubscriptions
}
