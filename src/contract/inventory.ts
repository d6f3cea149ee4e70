import type { Checkpoint, ConsentNotice, OptionalCategory } from './consent.ts'
import type { PixelRunsIn, PixelType } from './pixel.ts'

/** What a tool leaves in a visitor's browser. */
export interface ToolCookie {
  name: string
  /** In words: "90 dias", "sessão". */
  duration: string
  /** Null if the catalogue does not say. */
  purpose: string | null
  /** The domain of a third-party cookie; null for one of this site. */
  domain: string | null
  kind: 'cookie' | 'local_storage' | 'session_storage'
}

/** One tool on the site, as listed in the cookie policy. It contains no names given by administrators. */
export interface ActiveTool {
  category: OptionalCategory
  /** From the catalogue; null for unknown code. */
  vendor: string | null
  name: string
  company: string | null
  /** ISO 3166-1. */
  country: string | null
  purpose: string
  /** Where it gets data from: the visitor's browser, our server, or both. */
  told_by: ('browser' | 'server')[]
  cookies: ToolCookie[]
  /** Hosts beyond those of its vendor. */
  hosts: string[]
}

/** The dynamic part of the cookie policy. */
export interface ActiveToolList {
  tools: readonly ActiveTool[]
  /** When the list last changed. */
  changed_at: string
}

export interface DossierFigures {
  accepted: number
  partial: number
  refused: number
}

/** A tag on the public page, with its period. */
export interface DossierTag {
  pixel_id: string
  /** Its current name; null if its row was deleted. */
  name: string | null
  type: PixelType
  vendors: { id: string; name: string; company: string; country: string; purpose: string }[]
  account: string | null
  category: OptionalCategory
  told_by: string[]
  hosts: string[]
  files: ServedFile[]
  started_at: string
  /** Null while it is on the page. */
  ended_at: string | null
  reason: string | null
}

/** A report for an auditor. It names nobody but the controller and its author. */
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
  /** Since when the tags on the page are recorded; earlier ones are not included. */
  tags_known_since: string | null
  tags: DossierTag[]
  headers: HeaderChange[]
  notices: ConsentNotice[]
  seals: {
    /** The last one before the period, if any. */
    before: Checkpoint | null
    /** The last one of each day. */
    days: Checkpoint[]
    last: Checkpoint | null
    /** RFC 6962 consistency proof from the tree of `before` to that of `last`; empty without both. */
    consistency: string[]
  }
}

/** A script of a tag. Ours has the hash of what we serve; a vendor's has its address. */
export type ServedFile = { kind: 'own'; path: string; sha256: string } | { kind: 'vendor'; url: string }

/** A vendor's file as our server last fetched it; visitors may get another one. */
export interface VendorFile {
  url: string
  /** `waiting` until the first check. */
  outcome: 'waiting' | 'read' | 'failed'
  /** Why it could not be read: `http_404`, `ENOTFOUND`. */
  reason: string | null
  sha256: string | null
  bytes: number | null
  checked_at: string | null
  changed_at: string | null
  /** How often it differed from the time before. */
  changes: number
}

/** One authorised script on the page. */
export interface InventoryItem {
  pixel_id: string
  name: string
  type: PixelType
  /** Names from the catalogue; empty for other code. */
  vendors: string[]
  category: OptionalCategory
  /** Where its code runs in the browser. */
  runs_in: PixelRunsIn
  /** `browser`, `server` or both; empty while nothing of it is on the page. */
  told_by: string[]
  /** Since when its current form is on the page; null while it is not. */
  on_page_since: string | null
  /** True while part of it is in the page's HTML: a verification meta or structured data. */
  in_html: boolean
  /** Who switched it on, and when; null if that is older than the audit trail. */
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
  /** True if no tag changed with them: a new version, or another configuration. */
  unasked: boolean
}

/** `GET /admin/api/inventory` */
export interface Inventory {
  items: InventoryItem[]
  /** Newest first. */
  headers: HeaderChange[]
  /** False if the operator disabled fetching vendors' files. */
  checks_files: boolean
}

export const REASON_MAX_LENGTH = 300
