import type { Generated } from 'kysely'
import type { OptionalCategory } from '#contract/consent.ts'
import type { ServedFile } from '#contract/inventory.ts'
import type { PixelType } from '#contract/pixel.ts'
import type { Json, Timestamp } from './index.ts'

/** One row: what the public page was last served with. Recording a change locks it first. */
interface ServedState {
  id: number
  /** Of `site_state` when it was recorded: a process that is behind records nothing. */
  tags_version: number
  /** Hash of the list of tools in the cookie policy. */
  tools_hash: string
  tools_since: Timestamp
  /** Hash of everything that was recorded; null if an older release recorded it. */
  page_hash: Generated<string | null>
}

/** A tag on the public page, with its period. */
interface TagPeriods {
  id: string
  pixel_id: string
  /** Hash of what browsers ran and the policy allowed. */
  revision: string
  type: PixelType
  /** Of the catalogue, the one of its type first. */
  vendors: Json<string[]>
  account: string | null
  consent_category: OptionalCategory
  /** `browser`, `server` or both. */
  told_by: Json<string[]>
  hosts: Json<string[]>
  files: Json<ServedFile[]>
  started_at: Timestamp
  /** Null while it is on the page. */
  ended_at: Timestamp | null
}

/** The headers of the public page, and since when. */
interface ServedHeaders {
  id: string
  headers_hash: string
  /** The tag set at that time; empty for none. */
  tag_set_version: string
  /** True if the tags were the same before: something else changed the headers. */
  is_unasked: boolean
  since: Timestamp
}

/** A vendor's file that a tag names, as our server last fetched it. */
interface ScriptFiles {
  url: string
  outcome: 'waiting' | 'read' | 'failed'
  /** Why it failed: a status, or a code such as `ENOTFOUND`. */
  reason: Generated<string | null>
  sha256: Generated<string | null>
  bytes: Generated<number | null>
  first_read_at: Generated<Timestamp | null>
  changed_at: Generated<Timestamp | null>
  former_sha256: Generated<string | null>
  changes: Generated<number>
  checked_at: Generated<Timestamp | null>
  /** When it is checked again; a process that checks moves it ahead first. */
  due_at: Timestamp
}

/** What the page was served with. */
export interface InventoryTables {
  served_state: ServedState
  tag_periods: TagPeriods
  served_headers: ServedHeaders
  script_files: ScriptFiles
}
