import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable, engineOf } from '../dialect.ts'

/** One table for all counts, and the newest run and error of each tag. Both have one row per process. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  const isSqlite = engineOf(db) === 'sqlite'
  await db.schema
    .createTable('counts')
    .addColumn('subject', t.text, (c) => c.notNull())
    .addColumn('series', t.text, (c) => c.notNull())
    .addColumn('resolution', t.text, (c) => c.notNull())
    .addColumn('at', t.timestamp, (c) => c.notNull())
    .addColumn('key', t.text, (c) => c.notNull())
    .addColumn('shard', t.integer, (c) => c.notNull())
    .addColumn('count', t.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('counts_pkey', ['subject', 'series', 'resolution', 'at', 'key', 'shard'])
    // Counts are updated in place: on PostgreSQL a new version of a row fits on its page.
    .modifyEnd(isSqlite ? sql`strict, without rowid` : sql`with (fillfactor = 80)`)
    .execute()
  await db.schema.createIndex('counts_at_idx').on('counts').columns(['series', 'resolution', 'at']).execute()
  await forgetWithPixel(db, isSqlite)

  await createTable(db, 'tag_last_seen')
    .addColumn('pixel_id', t.uuid, (c) => c.notNull().references('tracking_pixels.id').onDelete('cascade'))
    .addColumn('shard', t.integer, (c) => c.notNull())
    .addColumn('last_ran_at', t.timestamp)
    .addColumn('last_error_at', t.timestamp)
    .addColumn('last_error', t.text)
    .addPrimaryKeyConstraint('tag_last_seen_pkey', ['pixel_id', 'shard'])
    .execute()
}

/**
 * Counts are deleted with their pixel. No foreign key: the site's counts have no pixel, and a late count must not fail
 * the write of others.
 */
async function forgetWithPixel(db: Kysely<unknown>, isSqlite: boolean): Promise<void> {
  if (isSqlite) {
    await sql`create trigger counts_of_pixel after delete on tracking_pixels
      begin delete from counts where subject = old.id; end`.execute(db)
    return
  }
  await sql`create function forget_counts_of_pixel() returns trigger language plpgsql as
    'begin delete from counts where subject = old.id::text; return null; end'`.execute(db)
  await sql`create trigger counts_of_pixel after delete on tracking_pixels
    for each row execute function forget_counts_of_pixel()`.execute(db)
}
