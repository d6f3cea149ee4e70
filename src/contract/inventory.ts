import type { OptionalCategory } from './consent.ts'
import type { PixelType } from './pixel.ts'
import type { PixelRunsIn } from './pixel-runs-in.ts'

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
