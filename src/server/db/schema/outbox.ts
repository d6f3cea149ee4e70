import type { Generated } from 'kysely'
import type { OptionalCategory } from '#contract/consent.ts'
import type { DeliveryState } from '#contract/conversions.ts'
import type { SentEvent } from '#contract/server-event.ts'
import type { Timestamp } from './index.ts'

/** The secret for a pixel's vendor. */
interface PixelSecrets {
  pixel_id: string
  /** Encrypted. */
  value: string
}

/** A waiting job for one destination. It contains all data about a visitor until it is settled. */
export interface Deliveries {
  id: string
  /** `newsletter`, `mail`, `account-mail`, `chat`, `confirmation`, or the id of a destination. */
  kind: string
  /** For events, like the next four: null in other rows. */
  pixel_id: string | null
  /** The page's ID, which the browser's event has too. */
  event_id: string | null
  event: SentEvent | null
  /** The choice that allows it; checked again when sending. */
  consent_id: string | null
  category: OptionalCategory | null
  /** JSON that the engine does not parse. */
  payload: string
  /** The hash in the payload, if any: finds jobs of a person to erase. */
  email_hash: Generated<string | null>
  attempts: Generated<number>
  next_attempt_at: Timestamp
  /** While in the future, a worker holds it. */
  leased_until: Timestamp | null
  /** Set before sending to a vendor that counts duplicates. */
  sent_at: Timestamp | null
  created_at: Timestamp
  /** After this time it has no use; null where attempts are counted instead. */
  expires_at: Timestamp | null
  /** The subscription to send: the address is only there. */
  subscription_id: string | null
  /** An email, or the request for one: encrypted, because it can contain an address and a link that signs in. */
  sealed: string | null
}

/** The hashes of a new subscriber's address, until the page posts the conversion. */
interface SignUpHashes {
  consent_id: string
  email_hash: string
  /** Of the address as Google normalises it. Null if a process of an older release stored the row. */
  google_hash: Generated<string | null>
  expires_at: Timestamp
}

/** Results of events, by the hour in which they happened. Waiting ones are in the queue. */
interface DeliveryCounts {
  pixel_id: string
  hour: Timestamp
  state: Exclude<DeliveryState, 'waiting'>
  /** The reason of a refusal as a code; empty otherwise. */
  reason: string
  count: number
}

/** The last attempts of each pixel, without data of visitors. */
interface DeliveryLog {
  id: string
  pixel_id: string
  event: SentEvent
  state: DeliveryState
  attempts: number
  answer: string
  message: string
  created_at: Timestamp
}

/** A pixel whose sending is stopped until somebody fixes it. */
interface DeliveryStops {
  pixel_id: string
  code: string
  message: string
  stopped_at: Timestamp
  /** When one job was last tried again; null before the first time. */
  tried_at: Timestamp | null
}

/** A lane of the outbox whose receiver failed. It rests in every process. */
interface LaneRests {
  /** A pixel's id, or a kind of job. */
  lane: string
  /** Failures in a row. */
  failures: number
  /** When one process may try one job. */
  until: Timestamp
}

/** The outbox and its results. */
export interface DeliveryTables {
  pixel_secrets: PixelSecrets
  deliveries: Deliveries
  sign_up_hashes: SignUpHashes
  delivery_counts: DeliveryCounts
  delivery_log: DeliveryLog
  delivery_stops: DeliveryStops
  lane_rests: LaneRests
}
