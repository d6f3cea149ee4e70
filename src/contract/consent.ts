import type { ConsentAction } from './consent-choice.ts'

/** The longest range that is told at once, in days. */
export const CONSENT_MAX_DAYS = 400

/** `GET /admin/api/consent?from&to`: choices by day of the site, both days included, and whether their proof is in order. */
export interface ConsentOverview {
  from: string
  to: string
  counts: ConsentCount[]
  /** Every wording that was served, the newest first. */
  notices: Pick<EvidenceNotice, 'version' | 'hash' | 'first_served_at' | 'text'>[]
  seals: CheckpointState
  /** The newest first, a few. */
  recent: Pick<Checkpoint, 'sequence' | 'sealed_at' | 'leaf_count'>[]
  /** How long a record is kept. */
  kept_days: number
}

/** Public, newest first; `?before=SEQUENCE` for those before. */
export const SEALS_PATH = '/.well-known/portico-seals'

/** Everything, nothing, or something between: as the figures of the day count it. */
export type ConsentState = 'accepted' | 'partial' | 'refused'

/** The proof of one choice, with the fields of ISO/IEC TS 27560 that apply. Its canonical bytes (RFC 8785) are what is sealed. */
export interface EvidenceRecord {
  '@type': 'ConsentRecord'
  /** `1`; `0` for what was stored before there was such a schema, and lacks what was not kept then. */
  schema_version: number
  record_id: string
  /** The same in every choice of one browser; the visitor's code is its beginning. */
  consent_id: string
  recorded_at: string
  /** Which button: `revoke` is any choice that took something back. */
  event: ConsentAction
  state: ConsentState
  purposes: { purpose: OptionalCategory; status: 'given' | 'refused' }[]
  /** `hash` is that of an `EvidenceNotice`, null when the version is unknown to us. */
  notice: { version: number; hash?: string | null }
  /** `hash` is that of an `EvidenceParties`, null when the tag set is unknown to us. */
  parties: { tag_set_version: string; hash?: string | null }
  language?: string
  jurisdiction?: string
  legal_basis?: string
  withdrawal?: string
  retention_days?: number | null
}

/** The words that visitors were asked with. */
export interface EvidenceNotice {
  '@type': 'ConsentNotice'
  /** SHA-256 of the canonical form of version, language, text and html. */
  hash: string
  version: number
  language: string
  /** One line for each piece of text. */
  text: string
  html: string
  first_served_at: string
}

interface EvidenceRecipient {
  /** Identifier of the pixel's row. */
  pixel: string
  type: string
  /** The account at the vendor. */
  account: string | null
  category: string
  /** Where the vendor is told from. */
  told_by: 'browser' | 'server' | 'both'
  vendors: { id: string; name: string; company: string; country: string; purpose: string }[]
  /** What the page's policy opens for it. */
  hosts: string[]
}

/** Who was behind one tag set. */
export interface EvidencePartiesContent {
  controller: {
    name: string
    cnpj: string | null
    contact: string
    site: string
  }
  recipients: EvidenceRecipient[]
  tag_set_version: string
}

export interface ConsentRecipients {
  '@type': 'ConsentParties'
  /** SHA-256 of the canonical form of `content`. */
  hash: string
  content: EvidencePartiesContent
  first_served_at: string
}

/** A root over every leaf there was, chained to the seal before. */
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

/** What `GET /.well-known/portico-seals` answers. */
export interface CheckpointPage {
  site: string
  seals: Checkpoint[]
  /** Address of the page before; null when there is none. */
  next: string | null
  /** Of the newest page alone: every wording that visitors were asked with, by its hash. */
  notices?: Pick<EvidenceNotice, 'version' | 'hash' | 'first_served_at'>[]
}

/** What `GET /.well-known/portico-seals/consistency?first=N&second=M` answers: that the second goes on where the first ended. */
export interface CheckpointConsistency {
  first: Checkpoint
  second: Checkpoint
  hashes: string[]
}

/** A record's place in the tree, and in which seal it came. */
interface EvidenceLeaf {
  position: number
  hash: string
  seal: number
}

export interface FoundRecord {
  record: EvidenceRecord
  /** Null until it is sealed, within about a minute. */
  leaf: EvidenceLeaf | null
}

/** Sealed choices of one day, by what was asked and chosen. */
export interface ConsentCount {
  /** Date of the site, `2026-11-16`. */
  day: string
  /** 0 for those that name a version which was never served. */
  text_version: number
  action: ConsentAction
  choice: ConsentState
  count: number
}

/** Whether sealing goes on. */
export interface CheckpointState {
  last: Checkpoint | null
  /** Records that have no leaf yet; counted up to `SEAL_WAITING_MAX`. */
  waiting: number
  oldest_waiting_at: string | null
}

export const SEAL_WAITING_MAX = 10_000

/** The four kinds of the cookie policy; the names are those that the visitor reads. */
export const CONSENT_CATEGORIES = ['essenciais', 'desempenho', 'funcionalidade', 'marketing'] as const

export type ConsentCategory = (typeof CONSENT_CATEGORIES)[number]

/** What a visitor may refuse. A tag is always one of these: what the site needs to work is not a vendor's code. */
export type OptionalCategory = Exclude<ConsentCategory, 'essenciais'>

/** As an administrator chooses among them for a tag. */
export const TAG_CATEGORY_LABELS: Record<OptionalCategory, string> = {
  desempenho: 'Desempenho',
  funcionalidade: 'Funcionalidade',
  marketing: 'Marketing',
}
