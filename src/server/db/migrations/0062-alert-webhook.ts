import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/** The chat that gets alerts: at most one row, with its encrypted address; and what it is still to be told. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'alert_webhooks')
    .addColumn('name', t.text, (c) => c.primaryKey().notNull())
    .addColumn('format', t.text, (c) => c.notNull())
    .addColumn('url', t.text, (c) => c.notNull())
    .addColumn('kinds', t.json, (c) => c.notNull())
    .addColumn('changed_at', t.timestamp, (c) => c.notNull())
    .addColumn('tried_at', t.timestamp)
    .addColumn('last_error', t.text)
    .execute()
  await createTable(db, 'alert_posts')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('pixel_id', t.uuid, (c) => c.notNull().references('tracking_pixels.id').onDelete('cascade'))
    .addColumn('day', t.text, (c) => c.notNull())
    .addColumn('way', t.text, (c) => c.notNull().check(sql`way in ('at_once', 'digest')`))
    .addColumn('kind', t.text, (c) => c.notNull())
    .addColumn('text', t.text, (c) => c.notNull())
    .addColumn('due_at', t.timestamp, (c) => c.notNull())
    .addColumn('sent_at', t.timestamp)
    .execute()
  // At most one immediate message per pixel and day, whichever process stores it.
  await sql`create unique index alert_posts_at_once_key on alert_posts (pixel_id, day) where way = 'at_once'`.execute(
    db,
  )
  await sql`create index alert_posts_due_idx on alert_posts (due_at) where sent_at is null`.execute(db)
  await sql`create index alert_posts_pixel_idx on alert_posts (pixel_id)`.execute(db)
}
