import type { Kysely } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/**
 * `tag_sets`: the pixels of each set by category, for refusals, which are counted per set. `tag_changes`: the pixels
 * that each tags version changed, so that other processes read only those.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'tag_sets')
    .addColumn('version', t.text, (c) => c.notNull())
    .addColumn('category', t.text, (c) => c.notNull())
    .addColumn('pixel_ids', t.text, (c) => c.notNull())
    .addColumn('used_at', t.timestamp, (c) => c.notNull())
    .addPrimaryKeyConstraint('tag_sets_pkey', ['version', 'category'])
    .execute()
  await db.schema.createIndex('tag_sets_used_at_idx').on('tag_sets').column('used_at').execute()

  await createTable(db, 'tag_changes')
    .addColumn('version', t.integer, (c) => c.primaryKey().notNull())
    .addColumn('pixel_ids', t.text, (c) => c.notNull())
    .addColumn('changed_at', t.timestamp, (c) => c.notNull())
    .execute()
  await db.schema.createIndex('tag_changes_changed_at_idx').on('tag_changes').column('changed_at').execute()
  // Of what was recorded last: whoever serves the same records nothing.
  await db.schema.alterTable('served_state').addColumn('page_hash', t.text).execute()
}
