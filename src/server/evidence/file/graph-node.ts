import type { EvidenceNotice, EvidenceParties, EvidenceRecord, EvidenceSeal } from '#contract/consent.ts'

export const FILE_FORMAT = 1

/** First line of an export: whole seals, from one to another, with every leaf that came in them. */
export interface ExportHead {
  '@type': 'EvidenceExport'
  format: number
  site: string
  made_at: string
  /** What was asked for; seals are exported whole, so that records around it may be there too. */
  from: string | null
  to: string | null
  /** The seal before the first of these, and the subtrees that its root is made of; null when there is none before. */
  before: { seal: EvidenceSeal; subtrees: string[] } | null
}

/** First line of a receipt: some records, each with the way to the root of its seal. */
export interface ReceiptHead {
  '@type': 'EvidenceReceipt'
  format: number
  site: string
  made_at: string
  code: string
}

/** Hashes of the leaves that follow, so that it can be said which of them is not what it was. */
export interface SealedLeaves {
  '@type': 'SealedLeaves'
  first: number
  hashes: string[]
}

/** In the place of a record whose time is over. */
interface ErasedRecord {
  '@type': 'ErasedRecord'
  position: number
  erased_at: string | null
}

/** Of the record on the line before. */
export interface InclusionProof {
  '@type': 'InclusionProof'
  record_id: string
  position: number
  /** Number of a seal that stands further up. */
  seal: number
  hashes: string[]
}

/** After a record that came less than about a minute ago. */
interface NotSealedYet {
  '@type': 'NotSealedYet'
  record_id: string
}

/** Last line: of everything above it. */
export interface GraphEnd {
  '@type': 'EvidenceEnd'
  nodes: number
  sha256: string
}

export type GraphNode =
  | ExportHead
  | ReceiptHead
  | EvidenceNotice
  | EvidenceParties
  | EvidenceRecord
  | SealedLeaves
  | ErasedRecord
  | InclusionProof
  | NotSealedYet
  | EvidenceSeal
