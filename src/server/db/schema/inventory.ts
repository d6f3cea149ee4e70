import type { Generated } from 'kysely'
import type { OptionalCategory } from '#contract/consent.ts'
import type { ServedFile } from '#contract/inventory.ts'
import type { PixelType } from '#contract/pixel.ts'
import type { Json, Timestamp } from './index.ts'

/** One row: what the public page was last seen to be served with. Whoever notes a change locks it first. */
interface ServedState {
  id: number
  /** Of `site_state` when it was noted: a process that is behind notes nothing. */
  tags_version: number
  /** Of the list of tools in the cookie policy. */
  tools_hash: string
  tools_since: Timestamp
}

/** A tag on the public page, from when to when, as it was. */
interface TagPeriods {
  id: string
  pixel_id: string
  /** Hash of what browsers ran and what the policy gave it. */
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
  /** Null while it is there. */
  ended_at: Timestamp | null
}

/** Which headers the public page had, since when. */
interface ServedHeaders {
  id: string
  headers_hash: string
  /** Of the tags that ran then; empty for none. */
  tag_set_version: string
  /** True when the tags were the same before: something else changed the headers. */
  is_unasked: boolean
  since: Timestamp
}

/** A vendor's file that a tag names, as our server last got it. */
interface ScriptFiles {
  url: string
  outcome: 'waiting' | 'read' | 'failed'
  /** Ours or the system's, where it failed: a status, `ENOTFOUND`. */
  reason: Generated<string | null>
  sha256: Generated<string | null>
  bytes: Generated<number | null>
  first_read_at: Generated<Timestamp | null>
  changed_at: Generated<Timestamp | null>
  former_sha256: Generated<string | null>
  changes: Generated<number>
  checked_at: Generated<Timestamp | null>
  /** When it is looked at again; a process that looks moves it ahead first. */
  due_at: Timestamp
}

/** What the page was served with. */
export interface InventoryTables {
  served_state: ServedState
  tag_periods: TagPeriods
  served_headers: ServedHeaders
  script_files: ScriptFiles
}
