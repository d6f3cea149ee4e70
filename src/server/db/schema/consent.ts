import type { Generated } from 'kysely'
import type { Json, Timestamp } from './index.ts'

/** One choice of one visitor. What was stored before `schema_version` 1 has none of the columns after `created_at`. */
export interface ConsentRecords {
  id: string
  consent_id: string
  action: string
  categories: Json<string[]>
  text_version: number
  tag_set_version: string
  created_at: Timestamp
  schema_version: Generated<number | null>
  /** Of `consent_notices`; null when nobody knows a notice of that version. */
  notice_hash: Generated<string | null>
  /** Of `consent_parties`; null when nobody knows the tag set that the page named. */
  parties_hash: Generated<string | null>
  /** How long records were kept when this one was made. */
  retention_days: Generated<number | null>
  /** Its place in the tree; null until it is sealed. */
  leaf_position: Generated<number | null>
}

/** A wording of banner and preferences, as it was first served. */
interface ConsentNotices {
  /** Of everything below but the time. */
  hash: string
  /** `CONSENT_TEXT_VERSION`; the same words in another rendering are another row. */
  version: number
  language: string
  text: string
  html: string
  first_served_at: Timestamp
}

/** The controller and the recipients of one tag set. */
interface ConsentParties {
  /** Of `content`. */
  hash: string
  tag_set_version: string
  /** Canonical JSON: `ConsentPartiesContent`. */
  content: string
  first_served_at: Timestamp
  /** Or last named by a choice; null in rows from before it was noted. */
  last_served_at: Generated<string | null>
}

/** What remains of a record when its time is over. */
interface ConsentLeaves {
  /** From 0, without gaps. */
  position: number
  hash: string
  erased_at: Timestamp | null
}

/** Hashes of whole subtrees, on every eighth level: what is between is computed. */
interface ConsentTreeNodes {
  level: number
  position: number
  hash: string
}

/** One row. */
interface ConsentTree {
  id: number
  size: number
  /** Of the leaves that no seal covers yet: a seal must not have to look at every record. */
  first_record_at: Generated<string | null>
  last_record_at: Generated<string | null>
}

export interface ConsentSeals {
  /** From 1, without gaps. */
  sequence: number
  first_record_at: Timestamp
  last_record_at: Timestamp
  /** Leaves since the seal before. */
  leaf_count: number
  tree_size: number
  root: string
  /** Null in the first. */
  previous_hash: string | null
  hash: string
  sealed_at: Timestamp
}

/** Sealed records by day of the site. They are choices, not visitors: who changes their mind is counted again. */
interface ConsentCounts {
  day: string
  text_version: number
  action: string
  choice: string
  count: number
}

/** What visitors chose, and the proof of it. */
export interface EvidenceTables {
  consent_records: ConsentRecords
  consent_notices: ConsentNotices
  consent_parties: ConsentParties
  consent_leaves: ConsentLeaves
  consent_tree_nodes: ConsentTreeNodes
  consent_tree: ConsentTree
  consent_seals: ConsentSeals
  consent_counts: ConsentCounts
}
