import type { ColumnType, Generated } from 'kysely'
import type { AlertKind } from '#contract/alerts.ts'
import type { OptionalCategory } from '#contract/consent.ts'
import type { ConversionLabels } from '#contract/conversion.ts'
import type { PixelType } from '#contract/pixel.ts'
import type { PixelDelivery } from '#contract/pixel-delivery.ts'
import type { PixelRunsIn } from '#contract/pixel-runs-in.ts'
import type { TestStep } from '#contract/tag-test.ts'
import type {
  AdminRoles,
  AuthApiKeys,
  AuthChallenges,
  AuthFactors,
  AuthLinkCodes,
  AuthLogins,
  AuthOneTimeTokens,
  AuthPasskeys,
  AuthRecoveryCodes,
  AuthRefreshTokens,
  AuthSessions,
  AuthSpentChallenges,
  AuthUsers,
} from './auth-schema.ts'
import type {
  Deliveries,
  DeliveryCounts,
  DeliveryLog,
  DeliveryStops,
  PixelSecrets,
  SignUpHashes,
} from './delivery-schema.ts'
import type {
  ConsentCounts,
  ConsentLeaves,
  ConsentNotices,
  ConsentParties,
  ConsentRecords,
  ConsentSeals,
  ConsentTree,
  ConsentTreeNodes,
} from './evidence-schema.ts'
import type { ScriptFiles, ServedHeaders, ServedState, TagPeriods } from './inventory-schema.ts'
import type { Json, Timestamp } from './stored-types.ts'

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

interface TrackingPixels {
  id: string
  name: string
  type: PixelType
  pixel_id: string | null
  code: string
  is_active: boolean
  allowed_hosts: Json<string[]>
  consent_category: OptionalCategory
  /** Of the catalogue; null until a version that knows it has looked. */
  vendor: string | null
  conversion_labels: ColumnType<ConversionLabels, string | undefined, string>
  delivery: Generated<PixelDelivery>
  /** These two are written together with the row of `pixel_secrets`. */
  has_access_token: Generated<boolean>
  access_token_stored_at: Generated<string | null>
  webhook_url: Generated<string | null>
  send_hashed_email: Generated<boolean>
  created_at: Timestamp
  updated_at: Timestamp
  /** Set while it is in the trash, where `is_active` is false whatever it was. */
  deleted_at: Generated<string | null>
  /** May be paused by itself when visits fail; else that is only said. */
  auto_disable: Generated<boolean>
  runs_in: Generated<PixelRunsIn>
  deleted_by: Generated<string | null>
  /** Why it is on the site, in the words of whoever answers for it. */
  reason: Generated<string | null>
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
  count: Generated<number>
  first_seen_at: Timestamp
  last_seen_at: Timestamp
}

interface NewsletterSubscriptions {
  id: string
  email: string
  status: 'pending' | 'delivered' | 'failed'
  /** Sent as the idempotency key of every attempt. */
  delivery_key: string
  attempts: Generated<number>
  next_attempt_at: Timestamp
  /** While in the future, one worker is at it. */
  leased_until: Timestamp | null
  last_error: string | null
  created_at: Timestamp
  delivered_at: Timestamp | null
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

/** One row, written by whoever asks whether the database takes writes. */
interface ReadinessRow {
  id: number
  proved_at: Timestamp
}

/** What a person wants to be told by mail. */
interface AlertChoices {
  user_id: string
  kinds: Json<AlertKind[]>
  changed_at: Timestamp
}

/** What is known to be so: it is told once. */
interface AlertStates {
  pixel_id: string
  kind: AlertKind
  /** A host, or nothing. */
  subject: string
  since: Timestamp
}

/** One line of a mail that is owed to a person. */
interface AlertMails {
  id: string
  user_id: string
  pixel_id: string
  /** Date of the site. */
  day: string
  /** At once, at most one for a person, a pixel and a day; or in the next morning's digest. */
  way: 'at_once' | 'digest'
  text: string
  attempts: Generated<number>
  due_at: Timestamp
  /** While in the future, one process is at it. */
  leased_until: Timestamp | null
  /** Set when it was sent, or given up. */
  sent_at: Timestamp | null
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

export interface Schema {
  auth_users: AuthUsers
  admin_roles: AdminRoles
  auth_logins: AuthLogins
  auth_sessions: AuthSessions
  auth_refresh_tokens: AuthRefreshTokens
  auth_factors: AuthFactors
  auth_passkeys: AuthPasskeys
  auth_spent_challenges: AuthSpentChallenges
  auth_challenges: AuthChallenges
  auth_recovery_codes: AuthRecoveryCodes
  auth_one_time_tokens: AuthOneTimeTokens
  auth_link_codes: AuthLinkCodes
  auth_api_keys: AuthApiKeys
  app_secrets: AppSecrets
  secret_key: SecretKeyState
  tracking_pixels: TrackingPixels
  pixel_secrets: PixelSecrets
  deliveries: Deliveries
  sign_up_hashes: SignUpHashes
  delivery_counts: DeliveryCounts
  delivery_log: DeliveryLog
  delivery_stops: DeliveryStops
  permitted_hosts: PermittedHosts
  compiled_tags: CompiledTags
  tag_reports: TagReports
  tag_evidence: TagEvidence
  tag_minutes: TagMinutes
  tag_breakers: TagBreakers
  tag_tests: TagTests
  blocked_hosts: BlockedHosts
  consent_records: ConsentRecords
  consent_notices: ConsentNotices
  consent_parties: ConsentParties
  consent_leaves: ConsentLeaves
  consent_tree_nodes: ConsentTreeNodes
  consent_tree: ConsentTree
  consent_seals: ConsentSeals
  consent_counts: ConsentCounts
  newsletter_subscriptions: NewsletterSubscriptions
  site_state: SiteState
  site_counts: SiteCounts
  alert_choices: AlertChoices
  alert_states: AlertStates
  alert_mails: AlertMails
  readiness: ReadinessRow
  rate_limits: RateLimits
  served_state: ServedState
  tag_periods: TagPeriods
  served_headers: ServedHeaders
  script_files: ScriptFiles
  audit_events: AuditEvents
}

/** What SQLite stores as something else and `map-values.ts` gives back; every name must mean the same in each table. */
export const BOOLEAN_COLUMNS: ReadonlySet<string> = new Set([
  'is_active',
  'is_principal',
  'active_when_deleted',
  'has_access_token',
  'send_hashed_email',
  'auto_disable',
  'is_unasked',
])
export const JSON_COLUMNS: ReadonlySet<string> = new Set([
  'transports',
  'user_metadata',
  'app_metadata',
  'amr',
  'allowed_hosts',
  'conversion_labels',
  'categories',
  'steps',
  'before',
  'after',
  'kinds',
  'vendors',
  'told_by',
  'hosts',
  'files',
])
