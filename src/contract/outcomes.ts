import type { OptionalCategory } from './consent.ts'
import type { DeliveryState, DestinationField } from './conversions.ts'

/** Outcomes: what the customer's own system confirms after the click, such as an approved account. */
export const OUTCOMES_PATH = '/api/outcomes'

/** `live` counts; `test` is checked and counted apart. */
export const OUTCOME_MODES = ['live', 'test'] as const
export type OutcomeMode = (typeof OUTCOME_MODES)[number]

/** Its key begins with this. */
export const OUTCOME_KEY_PREFIX: Readonly<Record<OutcomeMode, string>> = {
  live: 'prt_live_',
  test: 'prt_test_',
}

/** For this long the same id is the same outcome, and no outcome may be older. */
export const OUTCOME_ID_DAYS = 90

/** How a name is written on the wire. It never changes; its label does. */
export const OUTCOME_NAME = /^[a-z][a-z0-9_]{0,39}$/
export const OUTCOME_LABEL_MAX_LENGTH = 60
export const OUTCOME_KEY_NAME_MAX_LENGTH = 60

/**
 * What became of an outcome at a destination. `withheld`: the visitor had not accepted its category, or withdrew, or
 * an administrator switched it off before it was sent.
 * `unmatched`: the visit did not come from an ad of the vendor, which could match it to nobody.
 */
export type OutcomeDeliveryState = DeliveryState | 'unmatched'

/** `no_visit` is counted too, but its campaign is unknown and no platform gets it. */
export type OutcomeStatus = 'accepted' | 'duplicate' | 'no_visit' | 'refused'

export type OutcomeRefusalCode =
  | 'not_an_object'
  | 'unknown_field'
  | 'missing_field'
  | 'invalid_field'
  | 'unknown_name'
  | 'too_old'
  | 'too_far_ahead'
  | 'conflict'

/** One result of `POST /api/outcomes`, in the order of the call. */
export interface OutcomeResult {
  /** Null if the call had none that can be read. */
  id: string | null
  status: OutcomeStatus
  /** The next three only of a refused one. */
  code?: OutcomeRefusalCode
  field?: string
  message?: string
}

/** `POST /api/outcomes` once everything is durable. */
export interface OutcomeResults {
  results: OutcomeResult[]
}

/** A sum in one currency, as exact decimals: `62410.00`. */
export interface OutcomeValue {
  currency: string
  total: string
  /** The part of outcomes that are tied to a visit. */
  tied: string
}

interface OutcomeSums {
  count: number
  /** Tied to a visit whose visitor agreed. */
  tied: number
  /** Largest share of outcomes first. */
  values: OutcomeValue[]
}

export interface OutcomeRow extends OutcomeSums {
  name: string
  label: string
  /** One for each of the report's destinations, in their order; empty in `test`. */
  deliveries: OutcomeDeliveries[]
}

/** A pixel that the server sends for, and how its destination gets outcomes. */
export interface OutcomeDestination {
  /** The pixel's. */
  id: string
  name: string
  /** Off: nothing new is sent. */
  is_active: boolean
  /** Who answers, with its article: `a Meta`. */
  who: string
  category: OptionalCategory
  /** What the administrator chooses or enters; null if the vendor takes no outcomes. */
  event: DestinationField | null
  /** Names that the vendor knows; empty where it wants a number. */
  known_events: string[]
  /** Events that the vendor refuses without a value. */
  events_with_value: string[]
}

/** What became of the outcomes of one name at one destination. */
export interface OutcomeDeliveries {
  pixel_id: string
  /** Null: not sent. */
  event: string | null
  /** Offered where nobody has chosen yet; null where the vendor wants a number. */
  suggestion: string | null
  sends_value: boolean
  states: Record<OutcomeDeliveryState, number>
  /** Tied to a visit while nothing was sent: with `states`, the sum is all that are tied. */
  not_sent: number
  /** Most frequent first. */
  refusals: { reason: string; message: string; count: number }[]
}

/** Body of `PUT /admin/api/outcomes/names/NAME/destinations/ID`. */
export interface OutcomeEventInput {
  event: string | null
  sends_value: boolean
}

export interface OutcomeKey {
  id: string
  name: string
  mode: OutcomeMode
  /** The end of the key. */
  hint: string
  created_at: string
  /** Email of a person, or words for an actor that is none. */
  created_by: string
  last_used_at: string | null
}

/** One checked outcome of a test key. */
export interface OutcomeTestCall {
  id: string
  at: string
  name: string | null
  outcome_id: string | null
  value: string | null
  currency: string | null
  status: OutcomeStatus
  code: OutcomeRefusalCode | null
  field: string | null
}

/** `GET /admin/api/outcomes?mode&days`. */
export interface OutcomeReport {
  mode: OutcomeMode
  /** First and last day, both included. */
  from: string
  to: string
  totals: OutcomeSums & {
    /** Sent again with the same id; not counted. */
    duplicates: number
    /** Refused with an error; not counted. */
    refused: number
  }
  /** Every declared name. */
  rows: OutcomeRow[]
  /** Empty in `test`: test keys deliver nothing. */
  destinations: OutcomeDestination[]
  keys: OutcomeKey[]
  max_keys: number
  /** Newest first; empty in `live`. */
  test_calls: OutcomeTestCall[]
  /** Where to send outcomes. */
  url: string
}

/** `POST /admin/api/outcomes/keys`. The key is never shown again. */
export interface CreatedOutcomeKey extends OutcomeKey {
  key: string
}
