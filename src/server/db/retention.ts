import { TRASH_DAYS } from '#contract/pixel-history.ts'
import type { Sweep } from './sweep.ts'

const DAY_MS = 86_400_000

/** The configured days, and the lifetimes that modules above decide. */
export interface Kept {
  readonly auditDays: number
  readonly failedLoginDays: number
  readonly reportDays: number
  readonly consentDays: number
  /** How long the login of a browser, and a session without a cookie, stay open unused. */
  readonly loginIdleMs: number
  readonly sessionIdleMs: number
  /** The furthest ahead that an end is written. */
  readonly rateLimitMs: number
  readonly signUpHashMs: number
}

/** Every row that is removed by its age and by nothing else. Another one is another row of this table. */
export function retention(kept: Kept): readonly Sweep[] {
  return [
    {
      what: 'audit trail',
      table: 'audit_events',
      column: 'created_at',
      keepMs: kept.auditDays * DAY_MS,
      setting: 'RETENTION_AUDIT_DAYS',
    },
    {
      what: 'failed sign-ins in the audit trail, which name a person',
      table: 'audit_events',
      column: 'created_at',
      keepMs: kept.failedLoginDays * DAY_MS,
      setting: 'RETENTION_FAILED_LOGIN_DAYS',
      only: { action: ['auth.sign_in_failed', 'auth.second_step_failed'] },
    },
    {
      what: 'accounts whose address nobody confirmed, unless an administrator made, banned or deleted them',
      table: 'auth_users',
      column: 'created_at',
      keepMs: 30 * DAY_MS,
      only: {
        email_confirmed_at: null,
        mailbox_proved_at: null,
        last_sign_in_at: null,
        banned_until: null,
        deleted_at: null,
      },
      unindexed: true,
    },
    { what: 'ended logins', table: 'auth_logins', column: 'expires_at', keepMs: 0 },
    { what: 'unused logins', table: 'auth_logins', column: 'last_used_at', keepMs: kept.loginIdleMs },
    {
      what: 'unused sessions without a login cookie; the others go with their login',
      table: 'auth_sessions',
      column: 'last_used_at',
      keepMs: kept.sessionIdleMs,
      only: { login_id: null },
    },
    { what: 'challenges', table: 'auth_challenges', column: 'expires_at', keepMs: 0 },
    { what: 'used challenges', table: 'auth_spent_challenges', column: 'expires_at', keepMs: 0 },
    { what: 'link codes', table: 'auth_link_codes', column: 'expires_at', keepMs: 0 },
    { what: 'one-time tokens', table: 'auth_one_time_tokens', column: 'expires_at', keepMs: 0 },
    {
      what: 'windows of rate limits',
      table: 'rate_limits',
      column: 'expires_at',
      keepMs: 0,
      aheadMs: kept.rateLimitMs,
    },
    {
      what: 'hashes of subscribed addresses, until a conversion uses them',
      table: 'sign_up_hashes',
      column: 'expires_at',
      keepMs: 0,
      aheadMs: kept.signUpHashMs,
    },
    { what: 'blocked hosts', table: 'blocked_hosts', column: 'last_seen_at', keepMs: 90 * DAY_MS },
    {
      what: 'periods in which a tag was on the page',
      table: 'tag_periods',
      column: 'ended_at',
      keepMs: kept.consentDays * DAY_MS,
      setting: 'RETENTION_CONSENT_DAYS',
    },
    {
      what: "vendors' files that no tag loads",
      table: 'script_files',
      column: 'due_at',
      keepMs: kept.consentDays * DAY_MS,
      setting: 'RETENTION_CONSENT_DAYS',
    },
    {
      what: 'headers of the page',
      table: 'served_headers',
      column: 'since',
      keepMs: kept.consentDays * DAY_MS,
      setting: 'RETENTION_CONSENT_DAYS',
      keepNewest: true,
    },
    {
      what: 'pixels in the trash',
      table: 'tracking_pixels',
      column: 'deleted_at',
      keepMs: TRASH_DAYS * DAY_MS,
      // With each go its counts of a year, by the hour.
      step: 10,
    },
    { what: 'alerts by e-mail', table: 'alert_mails', column: 'due_at', keepMs: 30 * DAY_MS },
  ]
}
