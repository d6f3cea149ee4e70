import type { Kysely } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/** The vendor of a pixel, the labels of its conversions, and who permitted its hosts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await db.schema.alterTable('tracking_pixels').addColumn('vendor', t.text).execute()
  await db.schema
    .alterTable('tracking_pixels')
    .addColumn('conversion_labels', t.json, (c) => c.notNull().defaultTo('{}'))
    .execute()
  await createTable(db, 'permitted_hosts')
    .addColumn('pixel_id', t.uuid, (c) => c.notNull().references('tracking_pixels.id').onDelete('cascade'))
    .addColumn('host', t.text, (c) => c.notNull())
    .addColumn('permitted_by', t.text, (c) => c.notNull())
    .addColumn('permitted_at', t.timestamp, (c) => c.notNull())
    .addPrimaryKeyConstraint('permitted_hosts_pkey', ['pixel_id', 'host'])
    .execute()
}
