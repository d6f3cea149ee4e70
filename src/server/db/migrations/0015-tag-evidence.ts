import type { Kysely } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/** What visits observed of each tag: counts by hour, without data of visitors. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'tag_evidence')
    .addColumn('pixel_id', t.uuid, (c) => c.notNull().references('tracking_pixels.id').onDelete('cascade'))
    .addColumn('hour', t.timestamp, (c) => c.notNull())
    .addColumn('revision', t.text, (c) => c.notNull())
    .addColumn('subject', t.text, (c) => c.notNull())
    .addColumn('verdict', t.text, (c) => c.notNull())
    .addColumn('count', t.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('tag_evidence_pkey', ['pixel_id', 'hour', 'revision', 'subject', 'verdict'])
    .execute()
  await db.schema.createIndex('tag_evidence_hour_idx').on('tag_evidence').column('hour').execute()
}
