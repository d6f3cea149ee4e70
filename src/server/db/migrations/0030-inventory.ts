import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable, engineOf } from '../dialect.ts'

/** Why a tag is there, what was on the page and when, and vendors' files as our server last read them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await db.schema.alterTable('tracking_pixels').addColumn('reason', t.text).execute()
  await createTable(db, 'served_state')
    .addColumn('id', t.integer, (c) => c.primaryKey().notNull().check(sql`id = 1`))
    .addColumn('tags_version', t.integer, (c) => c.notNull())
    .addColumn('tools_hash', t.text, (c) => c.notNull())
    .addColumn('tools_since', t.timestamp, (c) => c.notNull())
    .execute()
  const at = new Date().toISOString()
  await sql`insert into served_state (id, tags_version, tools_hash, tools_since) values (1, -1, '', ${at})`.execute(
    db,
  )
  // No reference to the pixel: the history stays when its row is deleted.
  await createTable(db, 'tag_periods')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('pixel_id', t.uuid, (c) => c.notNull())
    .addColumn('revision', t.text, (c) => c.notNull())
    .addColumn('type', t.text, (c) => c.notNull())
    .addColumn('vendors', t.json, (c) => c.notNull())
    .addColumn('account', t.text)
    .addColumn('consent_category', t.text, (c) => c.notNull())
    .addColumn('told_by', t.json, (c) => c.notNull())
    .addColumn('hosts', t.json, (c) => c.notNull())
    .addColumn('files', t.json, (c) => c.notNull())
    .addColumn('started_at', t.timestamp, (c) => c.notNull())
    .addColumn('ended_at', t.timestamp)
    .execute()
  await sql`create unique index tag_periods_open_key on tag_periods (pixel_id) where ended_at is null`.execute(
    db,
  )
  await db.schema.createIndex('tag_periods_ended_at_idx').on('tag_periods').column('ended_at').execute()
  await createTable(db, 'served_headers')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('headers_hash', t.text, (c) => c.notNull())
    .addColumn('tag_set_version', t.text, (c) => c.notNull())
    .addColumn('is_unasked', t.boolean, (c) =>
      c.notNull().defaultTo(engineOf(db) === 'sqlite' ? sql`0` : sql`false`),
    )
    .addColumn('since', t.timestamp, (c) => c.notNull())
    .execute()
  await db.schema.createIndex('served_headers_since_idx').on('served_headers').column('since').execute()
  await createTable(db, 'script_files')
    .addColumn('url', t.text, (c) => c.primaryKey().notNull())
    .addColumn('outcome', t.text, (c) => c.notNull())
    .addColumn('reason', t.text)
    .addColumn('sha256', t.text)
    .addColumn('bytes', t.integer)
    .addColumn('first_read_at', t.timestamp)
    .addColumn('changed_at', t.timestamp)
    .addColumn('former_sha256', t.text)
    .addColumn('changes', t.integer, (c) => c.notNull().defaultTo(0))
    .addColumn('checked_at', t.timestamp)
    .addColumn('due_at', t.timestamp, (c) => c.notNull())
    .execute()
  await db.schema.createIndex('script_files_due_at_idx').on('script_files').column('due_at').execute()
}
