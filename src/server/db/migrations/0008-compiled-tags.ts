import type { Kysely } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/**
 * The compiled code of each pixel. Stored as text, not JSON: a warning may quote any character of the code, and
 * PostgreSQL refuses some of them in JSON.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'compiled_tags')
    .addColumn('pixel_id', t.uuid, (c) =>
      c.primaryKey().notNull().references('tracking_pixels.id').onDelete('cascade'),
    )
    .addColumn('source_hash', t.text, (c) => c.notNull())
    .addColumn('compiler_version', t.integer, (c) => c.notNull())
    .addColumn('added_hosts', t.integer, (c) => c.notNull())
    .addColumn('sources', t.text, (c) => c.notNull())
    .addColumn('body', t.text, (c) => c.notNull())
    .execute()
}
