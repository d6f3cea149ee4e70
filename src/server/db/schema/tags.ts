import type { ColumnType, Generated } from 'kysely'
import type { PIXEL_COLUMNS, PixelColumn, PixelRow } from '#contract/pixel-columns.ts'
import type { TestStep } from '#contract/tag-test.ts'
import type { Json, Timestamp } from './index.ts'

/** JSON columns are written as text; most have a default. */
type StoredPixel = {
  [K in PixelColumn]: (typeof PIXEL_COLUMNS)[K]['type'] extends 'json'
    ? ColumnType<PixelRow[K], string | null | undefined, string | null>
    : K extends 'id' | 'name' | 'type' | 'code'
      ? PixelRow[K]
      : Generated<PixelRow[K]>
}

interface TrackingPixels extends StoredPixel {
  /** Set while it is in the trash, where `is_active` is false. */
  deleted_at: Generated<string | null>
  deleted_by: Generated<string | null>
  active_when_deleted: Generated<boolean | null>
}

/** Who permitted a host of `allowed_hosts`, if it was done in the dashboard. */
interface PermittedHosts {
  pixel_id: string
  host: string
  permitted_by: string
  permitted_at: Timestamp
}

/** The compiled code of a pixel; written with the row, and again by each newer compiler. */
interface CompiledTags {
  pixel_id: string
  /** Hash of type, ID and code: another hash belongs to another snippet. */
  source_hash: string
  compiler_version: number
  /** Hosts that it adds to the policy beyond those of its type. */
  added_hosts: number
  /** JSON that the engine does not parse. */
  sources: string
  body: string
}

/** Counts per pixel and hour, without data of visitors. */
interface TagReports {
  pixel_id: string
  hour: Timestamp
  /** Visits that reached the vendor, as far as a page can know. */
  ran: Generated<number>
  blocked: Generated<number>
  failed: Generated<number>
  /** Null if not counted. Below zero for a moment, until another process has written its counts. */
  not_consented: Generated<number | null>
  last_ran_at: Timestamp | null
  last_error: string | null
}

/** What visits observed of the current revision of a tag. */
interface TagEvidence {
  pixel_id: string
  hour: Timestamp
  /** Hash of what the browser ran and the policy allowed. */
  revision: string
  /** `visit`, `hit`, `host:` and a source of its policy, `conversion:` and a name, or a part of its cost. */
  subject: string
  verdict: string
  count: number
}

/** Visits of a tag by minute, as far as the breaker looks back. */
interface TagMinutes {
  pixel_id: string
  revision: string
  minute: Timestamp
  visits: number
  failed: number
  /** Measured visits, and slow ones among them. */
  measured: Generated<number>
  slow: Generated<number>
}

/** A tag that failed in most of its visits, or was too slow. */
export interface TagBreakers {
  pixel_id: string
  /** The revision at that time. */
  revision: string
  state: 'paused' | 'warned'
  reason: 'failing' | 'slow'
  /** Measured visits, if it is slow. */
  visits: number
  /** The bad ones among them. */
  failed: number
  tripped_at: Timestamp
}

/** The pixels of a set, for refusals, which are counted per set. */
interface TagSets {
  /** Hash of the manifest. */
  version: string
  category: string
  /** Separated by spaces. */
  pixel_ids: string
  /** The last day of the site on which a visitor chose. */
  used_at: Timestamp
}

/** What a tags version changed. A version without a row may have changed anything. */
interface TagChanges {
  version: number
  /** Separated by spaces. */
  pixel_ids: string
  changed_at: Timestamp
}

/** One test visit by one administrator. */
interface TagTests {
  id: string
  pixel_id: string
  /** A user id; null for a service key. */
  created_by: string | null
  /** The same in words. */
  creator: string
  token_hash: string
  created_at: Timestamp
  /** When the token expires. */
  expires_at: Timestamp
  /** Hash of the key that the token was exchanged for; null before. */
  key_hash: string | null
  key_until: Timestamp | null
  /** Meta's test code, without which the server sends it nothing in a test. */
  test_code: Generated<string | null>
  steps: Json<TestStep[]>
}

interface BlockedHosts {
  id: string
  /** Null if the tag is unknown. */
  pixel_id: string | null
  host: string
  /** Hash of the code that last tried; null if the report does not tell. */
  code_hash: string | null
  /** Its use: `script`, `connect`, `image`, `frame` or `socket`. Null in rows of earlier versions. */
  use: string | null
  count: Generated<number>
  /** Networks that reported it, each once an hour. */
  networks: Generated<number>
  first_seen_at: Timestamp
  last_seen_at: Timestamp
}

/** Counts of the whole site by ten minutes, without data of visitors. */
interface SiteCounts {
  /** Start of the ten minutes. */
  slot: Timestamp
  /** `choice:` and the choice, `conversion:` and a name, `told`, or `cost:` and a step. */
  subject: string
  /** Below zero for a moment, until another process has written its counts. */
  count: number
}

/** Tags on the page, and what is known of them. */
export interface TagTables {
  tracking_pixels: TrackingPixels
  permitted_hosts: PermittedHosts
  compiled_tags: CompiledTags
  tag_reports: TagReports
  tag_evidence: TagEvidence
  tag_minutes: TagMinutes
  tag_breakers: TagBreakers
  tag_tests: TagTests
  tag_sets: TagSets
  tag_changes: TagChanges
  blocked_hosts: BlockedHosts
  site_counts: SiteCounts
}
