import type { Generated } from 'kysely'
import type { OutcomeMode, OutcomeRefusalCode, OutcomeStatus } from '#contract/outcomes.ts'
import type { Timestamp } from './index.ts'

/** A declared name. */
interface OutcomeNames {
  name: string
  label: string
  created_at: Timestamp
}

interface OutcomeKeys {
  id: string
  name: string
  mode: OutcomeMode
  /** SHA-256 of the key. */
  key_hash: string
  /** The end of the key, to tell keys apart. */
  hint: string
  created_at: Timestamp
  created_by: string
  /** To the minute. */
  last_used_at: Timestamp | null
}

/** Ids of the last 90 days: the same one again is the same outcome. Everything else about it is counted, not kept. */
interface Outcomes {
  mode: OutcomeMode
  id: string
  /** SHA-256 of its fields. */
  content_hash: string
  received_at: Timestamp
}

/** Sums by day and currency: exact, in the currency's smallest unit. */
export interface OutcomeValues {
  /** Start of the day in which the outcomes happened. */
  at: Timestamp
  name: string
  mode: OutcomeMode
  currency: string
  tie: 'tied' | 'untied'
  /** One value per process, as in `counts`. */
  shard: number
  amount: number
}

/** The last checked outcomes of test keys, for whoever writes the integration. */
interface OutcomeTestCalls {
  id: string
  created_at: Timestamp
  name: string | null
  outcome_id: string | null
  value: string | null
  currency: string | null
  status: OutcomeStatus
  code: OutcomeRefusalCode | null
  field: string | null
}

/** What a destination gets an outcome as. Without a row nothing is sent. */
interface OutcomeEvents {
  name: string
  pixel_id: string
  /** The vendor's event, or its number of one; null: not sent. */
  event: string | null
  sends_value: Generated<boolean>
}

/** Sums by day, currency and campaign of outcomes that are tied to a visit. */
export interface OutcomeCampaignValues {
  /** Start of the day in which the outcomes happened. */
  at: Timestamp
  channel: string
  campaign: string
  currency: string
  /** One value per process, as in `counts`. */
  shard: number
  amount: number
}

export interface OutcomeTables {
  outcome_names: OutcomeNames
  outcome_keys: OutcomeKeys
  outcomes: Outcomes
  outcome_values: OutcomeValues
  outcome_test_calls: OutcomeTestCalls
  outcome_events: OutcomeEvents
  outcome_campaign_values: OutcomeCampaignValues
}
