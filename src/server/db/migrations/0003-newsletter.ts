import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'newsletter_subscriptions')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('email', t.text, (c) => c.notNull().check(sql`length(email) between 3 and 254`))
    .addColumn('status', t.text, (c) => c.notNull().check(sql`status in ('pending', 'delivered', 'failed')`))
    .addColumn('delivery_key', t.text, (c) => c.notNull().unique())
    .addColumn('attempts', t.integer, (c) => c.notNull().defaultTo(0))
    .addColumn('next_attempt_at', t.timestamp, (c) => c.notNull())
    .addColumn('leased_until', t.timestamp)
    .addColumn('last_error', t.text)
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .addColumn('delivered_at', t.timestamp)
    .execute()
  await sql`create unique index newsletter_subscriptions_email_key on newsletter_subscriptions (lower(email))`.execute(
    db,
  )
  await db.schema
    .createIndex('newsletter_subscriptions_due_idx')
    .on('newsletter_subscriptions')
    .columns(['status', 'next_attempt_at'])
    .execute()
}
