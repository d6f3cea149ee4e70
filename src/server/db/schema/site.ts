import type { Generated } from 'kysely'
import type { Json, Timestamp } from './index.ts'

/** Keys that the installation generated. */
interface AppSecrets {
  name: string
  /** Encrypted. */
  value: string
  created_at: Timestamp
}

/** One row. */
interface SecretKeyState {
  id: number
  /** The id of the key that encrypts all secrets; null until there is one. */
  key_id: string | null
  /** Null while freed pages of the file may still contain old values. */
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
  /** Stays the same for the life of the site's data, wherever it is moved. */
  site_id: string | null
  /** When `site_counts` began; nothing is known before. */
  counted_since: Generated<string | null>
  /** When a sweep last accepted the clock, or somebody confirmed it; null if an earlier version wrote the row. */
  clock_seen_at: Generated<string | null>
}

/** One row, written by readiness checks. */
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
  /** A user id; null if nobody was signed in. */
  actor_id: string | null
  /** The actor in words: an email, "service key", "command line", "guest". */
  actor: string
  action: string
  subject: string | null
  before: Json<unknown> | null
  after: Json<unknown> | null
  created_at: Timestamp
}

/** Facts about the installation, and the audit trail. */
export interface SiteTables {
  app_secrets: AppSecrets
  secret_key: SecretKeyState
  site_state: SiteState
  readiness: ReadinessRow
  /** Wrong passwords, codes and mails: exact, and never lost. */
  rate_limits: RateLimits
  /** Rates of calls. Not logged on PostgreSQL: empty after a crash, and on a standby that takes over. */
  rate_windows: RateLimits
  audit_events: AuditEvents
}
