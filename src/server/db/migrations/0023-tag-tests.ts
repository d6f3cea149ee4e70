import type { Kysely } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/** Test visits. Neither the token of the link nor the key of the reports is stored. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'tag_tests')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('pixel_id', t.uuid, (c) => c.notNull().references('tracking_pixels.id').onDelete('cascade'))
    .addColumn('created_by', t.uuid)
    .addColumn('creator', t.text, (c) => c.notNull())
    .addColumn('token_hash', t.text, (c) => c.notNull().unique())
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .addColumn('expires_at', t.timestamp, (c) => c.notNull())
    .addColumn('key_hash', t.text, (c) => c.unique())
    .addColumn('key_until', t.timestamp)
    .addColumn('steps', t.json, (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('tag_tests_pixel_idx')
    .on('tag_tests')
    .columns(['pixel_id', 'created_at'])
    .execute()
}
