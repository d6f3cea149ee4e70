import type { Checkpoint, EvidenceNotice, OptionalCategory } from './consent.ts'
import type { PixelRunsIn, PixelType } from './pixel.ts'

/** What a tool leaves in a visitor's browser. */
export interface ToolCookie {
  name: string
  /** In words: "90 dias", "sessão". */
  duration: string
  /** Null where the catalogue says nothing. */
  purpose: string | null
  /** The domain of a cookie that is not of this site; null for one that is. */
  domain: string | null
  kind: 'cookie' | 'local_storage' | 'session_storage'
}

/** One tool that is on the site now, as the cookie policy tells it. Nothing that an administrator named is in it. */
export interface ActiveTool {
  category: OptionalCategory
  /** Of the catalogue; null for code that is nobody's whom it knows. */
  vendor: string | null
  name: string
  company: string | null
  /** ISO 3166-1. */
  country: string | null
  purpose: string
  /** Where it gets what it gets: from the visitor's browser, from our server, or both. */
  told_by: ('browser' | 'server')[]
  cookies: ToolCookie[]
  /** Addresses beyond those of its vendor. */
  hosts: string[]
}

/** The living part of the cookie policy. */
export interface ActiveToolList {
  tools: readonly ActiveTool[]
  /** When the list became what it is. */
  changed_at: string
}

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
    before: Checkpoint | null
    /** The last one of each day that had one. */
    days: Checkpoint[]
    last: Checkpoint | null
    /** RFC 6962 consistency proof from the tree of `before` to that of `last`; empty without both. */
    consistency: string[]
  }
}

/** A script of a tag. Ours has the hash of what we serve; a vendor's is what its address says. */
export type ServedFile = { kind: 'own'; path: string; sha256: string } | { kind: 'vendor'; url: string }

/** A vendor's file as our server last got it; another visitor's browser may be given another one. */
export interface VendorFile {
  url: string
  /** `waiting` until the first look. */
  outcome: 'waiting' | 'read' | 'failed'
  /** Why it could not be read: `http_404`, `ENOTFOUND`. */
  reason: string | null
  sha256: string | null
  bytes: number | null
  checked_at: string | null
  changed_at: string | null
  /** How often it was another one than the time before. */
  changes: number
}

/** One script that is authorised to run on the page. */
export interface InventoryItem {
  pixel_id: string
  name: string
  type: PixelType
  /** In words, of the catalogue; empty for code of our own. */
  vendors: string[]
  category: OptionalCategory
  /** Where its code runs, of what runs in the browser. */
  runs_in: PixelRunsIn
  /** `browser`, `server` or both; empty while nothing of it is on the page. */
  told_by: string[]
  /** Since when it is on the page as it is; null while it is not. */
  on_page_since: string | null
  /** True while something of it stands in the page's HTML: a verification, or structured data. */
  in_html: boolean
  /** Who switched it on, and when; null where that is older than the trail. */
  authorised: { by: string; at: string } | null
  reason: string | null
  hosts: string[]
  own_files: { path: string; sha256: string }[]
  vendor_files: VendorFile[]
}

/** The headers of the public page, by their hash. */
export interface HeaderChange {
  hash: string
  since: string
  /** True when no tag changed with them: a new version, or another configuration. */
  unasked: boolean
}

/** `GET /admin/api/inventory` */
export interface Inventory {
  items: InventoryItem[]
  /** The newest first. */
  headers: HeaderChange[]
  /** False where the operator does not let the server fetch vendors' files. */
  checks_files: boolean
}

export const REASON_MAX_LENGTH = 300
