import type { ColumnType, Generated } from 'kysely'
import type { PIXEL_COLUMNS, PixelColumn, PixelRow } from '#contract/pixel-columns.ts'
import type { TestStep } from '#contract/tag-test.ts'
import type { Json, Timestamp } from './index.ts'

/** A column of JSON is written as text; most have a value of the database's where none is given. */
type StoredPixel = {
  [K in PixelColumn]: (typeof PIXEL_COLUMNS)[K]['type'] extends 'json'
    ? ColumnType<PixelRow[K], string | undefined, string>
    : K extends 'id' | 'name' | 'type' | 'code'
      ? PixelRow[K]
      : Generated<PixelRow[K]>
}

interface TrackingPixels extends StoredPixel {
  /** Set while it is in the trash, where `is_active` is false whatever it was. */
  deleted_at: Generated<string | null>
  deleted_by: Generated<string | null>
  active_when_deleted: Generated<boolean | null>
}

/** Who permitted a host of `allowed_hosts`, as far as it was done in the dashboard. */
interface PermittedHosts {
  pixel_id: string
  host: string
  permitted_by: string
  permitted_at: Timestamp
}

/** What the code of a pixel became; written with the row, and again by each newer compiler. */
interface CompiledTags {
  pixel_id: string
  /** Of type, ID and code: another hash is another snippet's result. */
  source_hash: string
  compiler_version: number
  /** How many hosts it adds to the policy beyond those of its type. */
  added_hosts: number
  /** JSON that the engine does not look into. */
  sources: string
  body: string
}

/** Counts per pixel and hour; nothing about the visitor. */
interface TagReports {
  pixel_id: string
  hour: Timestamp
  /** Visits that reached the vendor, as far as a page can know. */
  ran: Generated<number>
  blocked: Generated<number>
  failed: Generated<number>
  /** Null where nobody counted. Below zero for a moment, while another process has yet to write what was taken back. */
  not_consented: Generated<number | null>
  last_ran_at: Timestamp | null
  last_error: string | null
}

/** What visits showed of a tag, as far as they ran it as it is now. */
interface TagEvidence {
  pixel_id: string
  hour: Timestamp
  /** Hash of what the browser ran and what the policy gave it. */
  revision: string
  /** `visit`, `hit`, `host:` and a source of its policy, `conversion:` and a name, or a part of its cost. */
  subject: string
  verdict: string
  count: number
}

/** Visits of a tag by minute, for as long as the breaker looks back. */
interface TagMinutes {
  pixel_id: string
  revision: string
  minute: Timestamp
  visits: number
  failed: number
  /** Those that measured what it cost, and those of them in which it cost too much. */
  measured: Generated<number>
  slow: Generated<number>
}

/** A tag that failed in most of its visits, or cost too many of them too much. */
export interface TagBreakers {
  pixel_id: string
  /** Which it was then. */
  revision: string
  state: 'paused' | 'warned'
  reason: 'failing' | 'slow'
  /** Of those that were measured, where it is slow. */
  visits: number
  /** Those that spoke against it. */
  failed: number
  tripped_at: Timestamp
}

/** One test of a pixel on the site, by one administrator. */
interface TagTests {
  id: string
  pixel_id: string
  /** A user id; null for the service key. */
  created_by: string | null
  /** The same in words. */
  creator: string
  token_hash: string
  created_at: Timestamp
  /** When the token is worth nothing any more. */
  expires_at: Timestamp
  /** Of the key that the token was traded for; null until it was. */
  key_hash: string | null
  key_until: Timestamp | null
  /** Meta's, without which nothing of a test is told to it by the server. */
  test_code: Generated<string | null>
  steps: Json<TestStep[]>
}

interface BlockedHosts {
  id: string
  /** null when it cannot be told which tag it was. */
  pixel_id: string | null
  host: string
  /** Of what the pixel ran when it last tried; null where the report does not tell. */
  code_hash: string | null
  /** What it wanted there: `script`, `connect`, `image`, `frame` or `socket`. Null in rows of earlier versions. */
  use: string | null
  count: Generated<number>
  /** Networks that reported it, each once an hour. */
  networks: Generated<number>
  first_seen_at: Timestamp
  last_seen_at: Timestamp
}

/** Counts of the whole site, by ten minutes; nothing about the visitor. */
interface SiteCounts {
  /** Start of the ten minutes. */
  slot: Timestamp
  /** `choice:` and what was chosen, `conversion:` and a name, `told`, or `cost:` and a step. */
  subject: string
  /** Below zero for a moment, while another process has yet to write what was taken back. */
  count: number
}

/** What runs on the page, and what is known of it. */
export interface TagTables {
  tracking_pixels: TrackingPixels
  permitted_hosts: PermittedHosts
  compiled_tags: CompiledTags
  tag_reports: TagReports
  tag_evidence: TagEvidence
  tag_minutes: TagMinutes
  tag_breakers: TagBreakers
  tag_tests: TagTests
  blocked_hosts: BlockedHosts
  site_counts: SiteCounts
}
