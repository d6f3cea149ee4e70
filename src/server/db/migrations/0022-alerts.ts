import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/** Alert settings, known states, and pending emails. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'alert_choices')
    .addColumn('user_id', t.uuid, (c) =>
      c.primaryKey().notNull().references('auth_users.id').onDelete('cascade'),
    )
    .addColumn('kinds', t.json, (c) => c.notNull())
    .addColumn('changed_at', t.timestamp, (c) => c.notNull())
    .execute()
  await createTable(db, 'alert_states')
    .addColumn('pixel_id', t.uuid, (c) => c.notNull().references('tracking_pixels.id').onDelete('cascade'))
    .addColumn('kind', t.text, (c) => c.notNull())
    .addColumn('subject', t.text, (c) => c.notNull())
    .addColumn('since', t.timestamp, (c) => c.notNull())
    .addPrimaryKeyConstraint('alert_states_pkey', ['pixel_id', 'kind', 'subject'])
    .execute()
  await createTable(db, 'alert_mails')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('user_id', t.uuid, (c) => c.notNull().references('auth_users.id').onDelete('cascade'))
    .addColumn('pixel_id', t.uuid, (c) => c.notNull().references('tracking_pixels.id').onDelete('cascade'))
    .addColumn('day', t.text, (c) => c.notNull())
    .addColumn('way', t.text, (c) => c.notNull().check(sql`way in ('at_once', 'digest')`))
    .addColumn('text', t.text, (c) => c.notNull())
    .addColumn('attempts', t.integer, (c) => c.notNull().defaultTo(0))
    .addColumn('due_at', t.timestamp, (c) => c.notNull())
    .addColumn('leased_until', t.timestamp)
    .addColumn('sent_at', t.timestamp)
    .execute()
  // At most one immediate email per person, pixel and day, whichever process stores it.
  await sql`create unique index alert_mails_at_once_key on alert_mails (user_id, pixel_id, day) where way = 'at_once'`.execute(
    db,
  )
  await sql`create index alert_mails_due_idx on alert_mails (due_at) where sent_at is null`.execute(db)
}
