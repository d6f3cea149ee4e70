import type { ConsentAction } from './consent-choice.ts'

/** Maximum range in days. */
export const CONSENT_MAX_DAYS = 400

/** `GET /admin/api/consent?from&to`: choices by day of the site, both days included, and the state of their proof. */
export interface ConsentOverview {
  from: string
  to: string
  counts: ConsentCount[]
  /** Every wording that was served, newest first. */
  notices: Pick<ConsentNotice, 'version' | 'hash' | 'first_served_at' | 'text'>[]
  seals: CheckpointState
  /** A few, newest first. */
  recent: Pick<Checkpoint, 'sequence' | 'sealed_at' | 'leaf_count'>[]
  /** Retention of a record. */
  kept_days: number
}

/** Public, newest first; `?before=SEQUENCE` for older ones. */
export const CHECKPOINTS_PATH = '/.well-known/portico-seals'

/** Everything, nothing, or part. */
export type ConsentState = 'accepted' | 'partial' | 'refused'

/**
 * The proof of one choice, with the applicable fields of ISO/IEC TS 27560. Its canonical bytes (RFC 8785) are hashed.
 */
export interface ConsentProofRecord {
  '@type': 'ConsentRecord'
  /** `1`; `0` for older records, which lack later fields. */
  schema_version: number
  record_id: string
  /** The same in every choice of one browser; the visitor's code is its beginning. */
  consent_id: string
  recorded_at: string
  /** Which button: `revoke` is any choice that withdrew something. */
  event: ConsentAction
  state: ConsentState
  purposes: { purpose: OptionalCategory; status: 'given' | 'refused' }[]
  /** `hash` of an `EvidenceNotice`; null if the version is unknown. */
  notice: { version: number; hash?: string | null }
  /** `hash` of an `EvidenceParties`; null if the tag set is unknown. */
  parties: { tag_set_version: string; hash?: string | null }
  language?: string
  jurisdiction?: string
  legal_basis?: string
  withdrawal?: string
  retention_days?: number | null
}

/** The wording shown to visitors. */
export interface ConsentNotice {
  '@type': 'ConsentNotice'
  /** SHA-256 of the canonical form of version, language, text and html. */
  hash: string
  version: number
  language: string
  /** One line per piece of text. */
  text: string
  html: string
  first_served_at: string
}

interface NoticeRecipient {
  /** Id of the pixel. */
  pixel: string
  type: string
  /** The account at the vendor. */
  account: string | null
  category: string
  /** Where the vendor gets data from. */
  told_by: 'browser' | 'server' | 'both'
  vendors: { id: string; name: string; company: string; country: string; purpose: string }[]
  /** Hosts that the page's policy opens for it. */
  hosts: string[]
}

/** The recipients of one tag set. */
export interface RecipientsContent {
  controller: {
    name: string
    cnpj: string | null
    contact: string
    site: string
  }
  recipients: NoticeRecipient[]
  tag_set_version: string
}

export interface ConsentRecipients {
  '@type': 'ConsentParties'
  /** SHA-256 of the canonical form of `content`. */
  hash: string
  content: RecipientsContent
  first_served_at: string
}

/** A root over all leaves, chained to the previous checkpoint. */
export interface Checkpoint {
  '@type': 'ConsentSeal'
  sequence: number
  /** Of the records that are new in it. */
  first_record_at: string
  last_record_at: string
  leaf_count: number
  tree_size: number
  /** RFC 6962 Merkle tree hash of the first `tree_size` leaves. */
  root: string
  previous_hash: string | null
  sealed_at: string
  /** SHA-256 of the canonical form of everything above. */
  hash: string
}

/** Response of `GET /.well-known/portico-seals`. */
export interface CheckpointPage {
  site: string
  seals: Checkpoint[]
  /** Address of the older page; null if there is none. */
  next: string | null
  /** On the newest page only: every wording by its hash. */
  notices?: Pick<ConsentNotice, 'version' | 'hash' | 'first_served_at'>[]
}

/**
 * Response of `GET /.well-known/portico-seals/consistency?first=N&second=M`: proves that the second continues the
 * first.
 */
export interface CheckpointConsistency {
  first: Checkpoint
  second: Checkpoint
  hashes: string[]
}

/** A record's position in the tree, and its checkpoint. */
interface RecordLeaf {
  position: number
  hash: string
  seal: number
}

export interface FoundRecord {
  record: ConsentProofRecord
  /** Null until it has a checkpoint, for about a minute. */
  leaf: RecordLeaf | null
}

/** Choices with a checkpoint of one day, by wording and choice. */
export interface ConsentCount {
  /** Date at the site, `2026-11-16`. */
  day: string
  /** 0 for versions that were never served. */
  text_version: number
  action: ConsentAction
  choice: ConsentState
  count: number
}

/** The state of checkpoints. */
export interface CheckpointState {
  last: Checkpoint | null
  /** Records without a leaf; counted up to `SEAL_WAITING_MAX`. */
  waiting: number
  oldest_waiting_at: string | null
}

export const CHECKPOINT_WAITING_MAX = 10_000

/** The four categories of the cookie policy, with the names that visitors read. */
export const CONSENT_CATEGORIES = ['essenciais', 'desempenho', 'funcionalidade', 'marketing'] as const

export type ConsentCategory = (typeof CONSENT_CATEGORIES)[number]

/** Categories that a visitor may refuse. A tag always has one of these. */
export type OptionalCategory = Exclude<ConsentCategory, 'essenciais'>

/** Labels for administrators. */
export const TAG_CATEGORY_LABELS: Record<OptionalCategory, string> = {
  desempenho: 'Desempenho',
  funcionalidade: 'Funcionalidade',
  marketing: 'Marketing',
}
