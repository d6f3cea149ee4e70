import type { OptionalCategory } from './consent.ts'
import type { EvidenceNotice, EvidenceSeal } from './consent-evidence.ts'
import type { HeaderChange, ServedFile } from './inventory.ts'
import type { PixelType } from './pixel.ts'

export interface DossierFigures {
  accepted: number
  partial: number
  refused: number
}

/** A tag that was on the public page in the period, from when to when, as it was. */
export interface DossierTag {
  pixel_id: string
  /** As it is called now; null when its row is gone for good. */
  name: string | null
  type: PixelType
  vendors: { id: string; name: string; company: string; country: string; purpose: string }[]
  account: string | null
  category: OptionalCategory
  told_by: string[]
  hosts: string[]
  files: ServedFile[]
  started_at: string
  /** Null while it is there. */
  ended_at: string | null
  reason: string | null
}

/** What an auditor gets for a period. Nobody is named in it but the controller, and whoever made it. */
export interface Dossier {
  format: 'portico-dossier/1'
  site: string
  controller: { name: string; legal_name: string | null; cnpj: string | null; contact: string }
  /** Days of the site, both included. */
  from: string
  to: string
  made_at: string
  made_by: string
  kept_days: number
  figures: {
    total: DossierFigures
    days: (DossierFigures & { day: string })[]
    notices: (DossierFigures & { version: number })[]
  }
  /** Since when what was on the page is written down; tags of before are not in this. */
  tags_known_since: string | null
  tags: DossierTag[]
  headers: HeaderChange[]
  notices: EvidenceNotice[]
  seals: {
    /** The last one before the period, if there was any. */
    before: EvidenceSeal | null
    /** The last one of each day that had one. */
    days: EvidenceSeal[]
    last: EvidenceSeal | null
    /** RFC 6962 consistency proof from the tree of `before` to that of `last`; empty without both. */
    consistency: string[]
  }
}
