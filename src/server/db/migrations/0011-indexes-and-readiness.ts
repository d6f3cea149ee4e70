import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)

  // Written by `/readyz`: one row that nothing else locks.
  await createTable(db, 'readiness')
    .addColumn('id', t.integer, (c) => c.primaryKey().notNull().check(sql`id = 1`))
    .addColumn('proved_at', t.timestamp, (c) => c.notNull())
    .execute()
  await sql`insert into readiness (id, proved_at) values (1, '1970-01-01T00:00:00.000Z')`.execute(db)

  for (const [name, table, columns] of [
    ['tag_reports_hour_idx', 'tag_reports', ['hour']],
    ['tag_reports_last_ran_at_idx', 'tag_reports', ['pixel_id', 'last_ran_at']],
    ['blocked_hosts_last_seen_at_idx', 'blocked_hosts', ['last_seen_at']],
    ['consent_records_created_at_idx', 'consent_records', ['created_at']],
    ['audit_events_action_idx', 'audit_events', ['action', 'created_at']],
    ['auth_logins_expires_at_idx', 'auth_logins', ['expires_at']],
    ['auth_logins_last_used_at_idx', 'auth_logins', ['last_used_at']],
    ['auth_challenges_expires_at_idx', 'auth_challenges', ['expires_at']],
    ['auth_one_time_tokens_expires_at_idx', 'auth_one_time_tokens', ['expires_at']],
    ['newsletter_subscriptions_email_idx', 'newsletter_subscriptions', ['email']],
  ] as const) {
    await db.schema
      .createIndex(name)
      .on(table)
      .columns([...columns])
      .execute()
  }
  await sql`create index auth_sessions_cookieless_idx on auth_sessions (last_used_at) where login_id is null`.execute(
    db,
  )
  await sql`create index newsletter_subscriptions_leased_idx on newsletter_subscriptions (leased_until) where leased_until is not null`.execute(
    db,
  )
}
