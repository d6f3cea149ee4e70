import type { ColumnType } from 'kysely'
import { pixelColumns } from '#contract/pixel-columns.ts'
import type { AlertTables } from './alerts.ts'
import type { AuthTables } from './auth.ts'
import type { EvidenceTables } from './consent.ts'
import type { InventoryTables } from './inventory.ts'
import type { NewsletterTables } from './newsletter.ts'
import type { DeliveryTables } from './outbox.ts'
import type { SiteTables } from './site.ts'
import type { StatsTables } from './stats.ts'
import type { TagTables } from './tags.ts'

/** What SQLite stores as something else and `sqlite-values-plugin.ts` gives back; every name must mean the same in each table. */
export const BOOLEAN_COLUMNS: ReadonlySet<string> = new Set([
  ...pixelColumns(({ type }) => type === 'boolean'),
  'is_principal',
  'active_when_deleted',
  'is_unasked',
])

export const JSON_COLUMNS: ReadonlySet<string> = new Set([
  ...pixelColumns(({ type }) => type === 'json'),
  'transports',
  'user_metadata',
  'app_metadata',
  'amr',
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

/** Read as a value, written as text made by `JSON.stringify`: the one form that both engines take. */
export type Json<T> = ColumnType<T, string, string>

/** ISO 8601 in UTC, with `T` and `Z`, on both engines. */
export type Timestamp = string

/**
 * Every table with its primary key, those that others refer to first: rows are written in this order, and read in the
 * order of their keys. A table that is not named here does not compile.
 */
export const TABLE_KEYS = {
  auth_users: ['id'],
  admin_roles: ['user_id'],
  auth_logins: ['id'],
  auth_sessions: ['id'],
  auth_refresh_tokens: ['id'],
  auth_factors: ['id'],
  auth_challenges: ['id'],
  auth_passkeys: ['id'],
  auth_spent_challenges: ['id'],
  auth_recovery_codes: ['id'],
  auth_one_time_tokens: ['id'],
  auth_link_codes: ['id'],
  auth_api_keys: ['id'],
  app_secrets: ['name'],
  secret_key: ['id'],
  tracking_pixels: ['id'],
  pixel_secrets: ['pixel_id'],
  deliveries: ['id'],
  sign_up_hashes: ['consent_id'],
  delivery_counts: ['pixel_id', 'hour', 'state', 'reason'],
  delivery_log: ['id'],
  delivery_stops: ['pixel_id'],
  permitted_hosts: ['pixel_id', 'host'],
  compiled_tags: ['pixel_id'],
  tag_reports: ['pixel_id', 'hour'],
  tag_evidence: ['pixel_id', 'hour', 'revision', 'subject', 'verdict'],
  tag_minutes: ['pixel_id', 'revision', 'minute'],
  tag_last_seen: ['pixel_id', 'shard'],
  tag_breakers: ['pixel_id'],
  tag_tests: ['id'],
  blocked_hosts: ['id'],
  consent_records: ['id'],
  consent_notices: ['hash'],
  consent_parties: ['hash'],
  consent_leaves: ['position'],
  consent_tree_nodes: ['level', 'position'],
  consent_tree: ['id'],
  consent_seals: ['sequence'],
  consent_counts: ['day', 'text_version', 'action', 'choice'],
  newsletter_subscriptions: ['id'],
  site_state: ['id'],
  site_counts: ['slot', 'subject'],
  counts: ['subject', 'series', 'resolution', 'at', 'key', 'shard'],
  alert_choices: ['user_id'],
  alert_states: ['pixel_id', 'kind', 'subject'],
  alert_mails: ['id'],
  readiness: ['id'],
  rate_limits: ['key'],
  served_state: ['id'],
  tag_periods: ['id'],
  served_headers: ['id'],
  script_files: ['url'],
  audit_events: ['id'],
} as const satisfies { [Table in keyof Schema]: readonly (keyof Schema[Table])[] }

export type TableName = keyof typeof TABLE_KEYS

export const TABLE_NAMES = Object.keys(TABLE_KEYS) as TableName[]

/** Every table, room by room. */
export interface Schema
  extends SiteTables,
    AuthTables,
    TagTables,
    StatsTables,
    DeliveryTables,
    EvidenceTables,
    InventoryTables,
    NewsletterTables,
    AlertTables {}
