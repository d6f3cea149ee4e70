import type { Generated } from 'kysely'
import type { Json, Timestamp } from './index.ts'

/** Keys that the installation made for itself. */
interface AppSecrets {
  name: string
  /** Sealed. */
  value: string
  created_at: Timestamp
}

/** One row. */
interface SecretKeyState {
  id: number
  /** The key that everything sealed is sealed with; null until there is one. */
  key_id: string | null
  /** Null while the file may still hold, in freed pages, what was there before the last sealing. */
  leftovers_cleared_at: Timestamp | null
}

/** One row. */
interface SiteState {
  id: number
  tags_paused_at: Timestamp | null
  tags_paused_by: string | null
  tags_version: Generated<number>
  /** The account that the configuration named as principal at the last start. */
  principal_id: string | null
  /** The same for as long as the site's data lives, wherever it is moved to. */
  site_id: string | null
  /** When `site_counts` began; nothing is known of before. */
  counted_since: Generated<string | null>
  /** When a sweep last accepted the clock, or somebody confirmed it; null where a process of an earlier version wrote the row. */
  clock_seen_at: Generated<string | null>
}

/** One row, written by whoever asks whether the database takes writes. */
interface ReadinessRow {
  id: number
  proved_at: Timestamp
}

interface RateLimits {
  key: string
  count: number
  expires_at: Timestamp
}

interface AuditEvents {
  id: string
  /** A user id; null when nobody was signed in. */
  actor_id: string | null
  /** Who it was, in words: an e-mail, "service key", "command line", "guest". */
  actor: string
  action: string
  subject: string | null
  before: Json<unknown> | null
  after: Json<unknown> | null
  created_at: Timestamp
}

/** What the installation knows of itself, and the trail of who did what. */
export interface SiteTables {
  app_secrets: AppSecrets
  secret_key: SecretKeyState
  site_state: SiteState
  readiness: ReadinessRow
  rate_limits: RateLimits
  audit_events: AuditEvents
}
