import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable, engineOf } from '../dialect.ts'

/**
 * Windows of rates, apart from the counts of wrong passwords and codes in `rate_limits`. On PostgreSQL the table is not
 * logged: writing it costs no WAL, and a crash empties it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'rate_windows')
    .addColumn('key', t.text, (c) => c.primaryKey().notNull())
    .addColumn('count', t.integer, (c) => c.notNull())
    .addColumn('expires_at', t.timestamp, (c) => c.notNull())
    .execute()
  await db.schema.createIndex('rate_windows_expires_at_idx').on('rate_windows').column('expires_at').execute()
  if (engineOf(db) === 'postgres') await sql`alter table rate_windows set unlogged`.execute(db)
}
