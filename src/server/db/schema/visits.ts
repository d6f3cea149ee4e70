import type { Channel } from '#contract/visit-report.ts'
import type { Timestamp } from './index.ts'

/** Secret of a day, which only exists until half an hour after the day. Never exported. */
interface VisitSecrets {
  /** `2026-11-15`, the site's. */
  day: string
  /** Encrypted. */
  secret: string
  created_at: Timestamp
}

/** Visitors of one day, by a hash that is keyed with its secret. Days take turns: even, odd. */
interface VisitKeys {
  /** 53 bits of the hash; -1 for the row that names the day of the table. */
  key: number
  /** Second of the day of the last view; in the row -1, the number of the day. */
  seen: number
}

/** A visit whose code went to the app, with the visitor's consent. Nothing here leads to the keys above. */
interface VisitCodes {
  /** Made from the code, which is not stored. */
  id: string
  consent_id: string
  channel: Channel
  /** As visits count it: empty for none. */
  campaign: string
  /** Encrypted with a key made from the code; null without any, and without consent to marketing. */
  click_ids: string | null
  created_at: Timestamp
}

export interface VisitTables {
  visit_codes: VisitCodes
  visit_secrets: VisitSecrets
  visit_keys_even: VisitKeys
  visit_keys_odd: VisitKeys
}
