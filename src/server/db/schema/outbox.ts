import type { Generated } from 'kysely'
import type { OptionalCategory } from '#contract/consent.ts'
import type { DeliveryState } from '#contract/conversions.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import type { Timestamp } from './index.ts'

/** What the server signs in to a pixel's vendor with. */
interface PixelSecrets {
  pixel_id: string
  /** Sealed. */
  value: string
}

/** What waits to be told to one destination. The row is all that is kept about a visitor, until it is settled. */
export interface Deliveries {
  id: string
  /** `newsletter`, `mail`, `account-mail`, or the id of a destination. */
  kind: string
  /** Of an event, as are the next four: null in any other row. */
  pixel_id: string | null
  /** The page's own, which the browser's copy carries too. */
  event_id: string | null
  event: ServerEventName | null
  /** The choice that it is sent under; looked up again when it is sent. */
  consent_id: string | null
  category: OptionalCategory | null
  /** JSON that the engine does not look into. */
  payload: string
  /** The one in the payload, where there is one: whoever asks to be forgotten is found by it. */
  email_hash: Generated<string | null>
  attempts: Generated<number>
  next_attempt_at: Timestamp
  /** While in the future, one worker is at it. */
  leased_until: Timestamp | null
  /** Set before it is sent to a vendor that counts twice what comes twice. */
  sent_at: Timestamp | null
  created_at: Timestamp
  /** From then on it is of no use to whom it is for; null where attempts are counted instead. */
  expires_at: Timestamp | null
  /** Whom the newsletter's webhook is told of: the address is there and nowhere else. */
  subscription_id: string | null
  /** An e-mail, or the request for one: encrypted, because it can hold an address and a link that signs in. */
  sealed: string | null
}

/** The hash of the address that a visitor has just subscribed with, until the page tells of the conversion. */
interface SignUpHashes {
  consent_id: string
  email_hash: string
  expires_at: Timestamp
}

/** What became of events, by the hour in which they happened. What still waits is in the queue. */
export interface DeliveryCounts {
  pixel_id: string
  hour: Timestamp
  state: Exclude<DeliveryState, 'waiting'>
  /** Why it was refused, as a code; empty otherwise. */
  reason: string
  count: number
}

/** The last attempts of each pixel, with nothing about a visitor. */
interface DeliveryLog {
  id: string
  pixel_id: string
  event: ServerEventName
  state: DeliveryState
  attempts: number
  answer: string
  message: string
  created_at: Timestamp
}

/** A pixel whose sending waits for somebody to mend something. */
interface DeliveryStops {
  pixel_id: string
  code: string
  message: string
  stopped_at: Timestamp
  /** The last time that one delivery was tried again; null before the first. */
  tried_at: Timestamp | null
}

/** What waits to be sent, and what came of it. */
export interface DeliveryTables {
  pixel_secrets: PixelSecrets
  deliveries: Deliveries
  sign_up_hashes: SignUpHashes
  delivery_counts: DeliveryCounts
  delivery_log: DeliveryLog
  delivery_stops: DeliveryStops
}
