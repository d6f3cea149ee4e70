import type { ColumnType } from 'kysely'
import { pixelColumns } from '#contract/pixel-columns.ts'
import type { AlertTables } from './alerts.ts'
import type { AuthTables } from './auth.ts'
import type { ConsentTables } from './consent.ts'
import type { InventoryTables } from './inventory.ts'
import type { NewsletterTables } from './newsletter.ts'
import type { DeliveryTables } from './outbox.ts'
import type { OutcomeTables } from './outcomes.ts'
import type { SiteTables } from './site.ts'
import type { StatsTables } from './stats.ts'
import type { TagTables } from './tags.ts'
import type { VisitTables } from './visits.ts'

/**
 * Columns that SQLite stores differently and `SqliteValuesPlugin` converts; every name must mean the same in each
 * table.
 */
export const BOOLEAN_COLUMNS: ReadonlySet<string> = new Set([
  ...pixelColumns(({ type }) => type === 'boolean'),
  'is_principal',
  'active_when_deleted',
  'is_unasked',
  'sends_value',
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

/** Read as a value, written as text of `JSON.stringify`: the form that both engines accept. */
export type Json<T> = ColumnType<T, string, string>

/** ISO 8601 in UTC, with `T` and `Z`, on both engines. */
export type Timestamp = string

/**
 * Every table with its primary key, referenced tables first: rows are written in this order, and read in key order. A
 * table that is missing here does not compile.
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
  lane_rests: ['lane'],
  permitted_hosts: ['pixel_id', 'host'],
  compiled_tags: ['pixel_id'],
  tag_reports: ['pixel_id', 'hour'],
  tag_evidence: ['pixel_id', 'hour', 'revision', 'subject', 'verdict'],
  tag_minutes: ['pixel_id', 'revision', 'minute'],
  tag_last_seen: ['pixel_id', 'shard'],
  tag_breakers: ['pixel_id'],
  tag_tests: ['id'],
  tag_sets: ['version', 'category'],
  tag_changes: ['version'],
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
  visit_secrets: ['day'],
  visit_keys_even: ['key'],
  visit_keys_odd: ['key'],
  outcome_names: ['name'],
  outcome_keys: ['id'],
  outcomes: ['mode', 'id'],
  outcome_values: ['at', 'name', 'mode', 'currency', 'tie', 'shard'],
  outcome_test_calls: ['id'],
  outcome_events: ['name', 'pixel_id'],
  outcome_campaign_values: ['at', 'channel', 'campaign', 'currency', 'shard'],
  visit_codes: ['id'],
  alert_choices: ['user_id'],
  alert_states: ['pixel_id', 'kind', 'subject'],
  alert_mails: ['id'],
  alert_webhooks: ['name'],
  alert_posts: ['id'],
  summary_choices: ['user_id'],
  summary_weeks: ['monday'],
  readiness: ['id'],
  rate_limits: ['key'],
  rate_windows: ['key'],
  served_state: ['id'],
  tag_periods: ['id'],
  served_headers: ['id'],
  script_files: ['url'],
  audit_events: ['id'],
} as const satisfies { [Table in keyof Schema]: readonly (keyof Schema[Table])[] }

export type TableName = keyof typeof TABLE_KEYS

export const TABLE_NAMES = Object.keys(TABLE_KEYS) as TableName[]

/** Every table, by module. */
export interface Schema
  extends SiteTables,
    AuthTables,
    TagTables,
    StatsTables,
    VisitTables,
    DeliveryTables,
    ConsentTables,
    InventoryTables,
    NewsletterTables,
    OutcomeTables,
    AlertTables {}
