import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/** Counts of the site by ten minutes, and indexes for the lists of subscriptions and activity. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'site_counts')
    .addColumn('slot', t.timestamp, (c) => c.notNull())
    .addColumn('subject', t.text, (c) => c.notNull())
    .addColumn('count', t.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('site_counts_pkey', ['slot', 'subject'])
    .execute()
  await db.schema.alterTable('site_state').addColumn('counted_since', t.timestamp).execute()
  await sql`update site_state set counted_since = ${new Date().toISOString()}`.execute(db)
  for (const [name, table, columns] of [
    ['newsletter_subscriptions_created_at_idx', 'newsletter_subscriptions', ['created_at', 'id']],
    [
      'newsletter_subscriptions_status_created_at_idx',
      'newsletter_subscriptions',
      ['status', 'created_at', 'id'],
    ],
    ['audit_events_time_idx', 'audit_events', ['created_at', 'id']],
    ['audit_events_actor_idx', 'audit_events', ['actor', 'created_at', 'id']],
  ] as const) {
    await db.schema
      .createIndex(name)
      .on(table)
      .columns([...columns])
      .execute()
  }
}
