import { DAY_MS } from '#contract/durations.ts'
import { OUTCOME_ID_DAYS } from '#contract/outcomes.ts'
import { TRASH_DAYS } from '#contract/pixel-history.ts'
import { VISIT_CODE_DAYS } from '#contract/visit-code.ts'
import type { Sweep } from './sweep.ts'

/** The configured days, and lifetimes from other modules. */
export interface Kept {
  readonly auditDays: number
  readonly failedLoginDays: number
  readonly reportDays: number
  readonly consentDays: number
  readonly visitDays: number
  /** How long an unused browser login, and a session without a cookie, stay open. */
  readonly loginIdleMs: number
  readonly sessionIdleMs: number
  /** The furthest ahead that an end time is written. */
  readonly rateLimitMs: number
  readonly signUpHashMs: number
}

/** Every row that is deleted by age alone. A new one is a row of this table. */
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
      what: 'counts of wrong passwords, codes and mails',
      table: 'rate_limits',
      column: 'expires_at',
      keepMs: 0,
      aheadMs: kept.rateLimitMs,
    },
    {
      what: 'windows of rates',
      table: 'rate_windows',
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
    {
      what: 'codes of visits that went on to the app',
      table: 'visit_codes',
      column: 'created_at',
      keepMs: VISIT_CODE_DAYS * DAY_MS,
    },
    {
      what: 'requests to ask a vendor for the result of accepted events, if they were never sent',
      table: 'deliveries',
      column: 'expires_at',
      keepMs: DAY_MS,
      only: { kind: 'confirmation' },
    },
    {
      what: 'rests of receivers that nothing waits for',
      table: 'lane_rests',
      column: 'until',
      keepMs: DAY_MS,
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
      what: 'pixels of the tag sets that visitors refused',
      table: 'tag_sets',
      column: 'used_at',
      // As long as their counts; the time is the start of a day.
      keepMs: (kept.reportDays + 2) * DAY_MS,
      setting: 'RETENTION_REPORT_DAYS',
    },
    {
      what: 'which pixels a change concerned, for processes that have not seen it',
      table: 'tag_changes',
      column: 'changed_at',
      keepMs: DAY_MS,
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
      // Each takes a year of hourly counts with it.
      step: 10,
    },
    {
      what: 'ids of outcomes: the same id again is the same outcome',
      table: 'outcomes',
      column: 'received_at',
      keepMs: OUTCOME_ID_DAYS * DAY_MS,
    },
    {
      what: 'sums of the values of outcomes',
      table: 'outcome_values',
      column: 'at',
      keepMs: kept.visitDays * DAY_MS,
      setting: 'RETENTION_VISIT_DAYS',
    },
    {
      what: 'sums of the values of outcomes by campaign',
      table: 'outcome_campaign_values',
      column: 'at',
      keepMs: kept.visitDays * DAY_MS,
      setting: 'RETENTION_VISIT_DAYS',
    },
    {
      what: 'calls with test keys of outcomes',
      table: 'outcome_test_calls',
      column: 'created_at',
      keepMs: 7 * DAY_MS,
    },
    { what: 'alerts by e-mail', table: 'alert_mails', column: 'due_at', keepMs: 30 * DAY_MS },
    { what: 'weeks whose summary was sent', table: 'summary_weeks', column: 'sent_at', keepMs: 30 * DAY_MS },
    { what: 'alerts to a chat', table: 'alert_posts', column: 'due_at', keepMs: 30 * DAY_MS },
  ]
}
