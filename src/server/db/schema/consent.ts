import type { Generated } from 'kysely'
import type { Json, Timestamp } from './index.ts'

/** One choice of one visitor. Records before `schema_version` 1 have none of the columns after `created_at`. */
export interface ConsentRecords {
  id: string
  consent_id: string
  action: string
  categories: Json<string[]>
  text_version: number
  tag_set_version: string
  created_at: Timestamp
  schema_version: Generated<number | null>
  /** Of `consent_notices`; null if no notice of that version is known. */
  notice_hash: Generated<string | null>
  /** Of `consent_parties`; null if the page's tag set is unknown. */
  parties_hash: Generated<string | null>
  /** The retention of records when this one was made. */
  retention_days: Generated<number | null>
  /** Its position in the tree; null until it has a leaf. */
  leaf_position: Generated<number | null>
}

/** A wording of banner and preferences, as first served. */
interface ConsentNotices {
  /** Hash of everything below except the time. */
  hash: string
  /** `CONSENT_TEXT_VERSION`; another rendering of the same words is another row. */
  version: number
  language: string
  text: string
  html: string
  first_served_at: Timestamp
}

/** Controller and recipients of one tag set. */
interface ConsentRecipients {
  /** Hash of `content`. */
  hash: string
  tag_set_version: string
  /** Canonical JSON: `ConsentPartiesContent`. */
  content: string
  first_served_at: Timestamp
  /** When it was last served or named by a choice; null in older rows. */
  last_served_at: Generated<string | null>
}

/** What remains of an erased record. */
interface ConsentLeaves {
  /** From 0, without gaps. */
  position: number
  hash: string
  erased_at: Timestamp | null
}

/** Hashes of complete subtrees on every eighth level; the others are computed. */
interface ConsentTreeNodes {
  level: number
  position: number
  hash: string
}

/** One row. */
interface ConsentTree {
  id: number
  size: number
  /** Of leaves without a checkpoint: making one must not read every record. */
  first_record_at: Generated<string | null>
  last_record_at: Generated<string | null>
}

export interface ConsentCheckpoints {
  /** From 1, without gaps. */
  sequence: number
  first_record_at: Timestamp
  last_record_at: Timestamp
  /** Leaves since the previous checkpoint. */
  leaf_count: number
  tree_size: number
  root: string
  /** Null for the first. */
  previous_hash: string | null
  hash: string
  sealed_at: Timestamp
}

/**
 * Records with a checkpoint by day of the site. They count choices, not visitors: a changed choice is counted again.
 */
interface ConsentCounts {
  day: string
  text_version: number
  action: string
  choice: string
  count: number
}

/** Consent records and their proof. */
export interface ConsentTables {
  consent_records: ConsentRecords
  consent_notices: ConsentNotices
  consent_parties: ConsentRecipients
  consent_leaves: ConsentLeaves
  consent_tree_nodes: ConsentTreeNodes
  consent_tree: ConsentTree
  consent_seals: ConsentCheckpoints
  consent_counts: ConsentCounts
}
