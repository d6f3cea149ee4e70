import type { Kysely } from 'kysely'
import { columnTypes, createTable, engineOf } from '../dialect.ts'

/** The event under which each destination gets an outcome, and whether it gets the value. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'outcome_events')
    .addColumn('name', t.text, (c) => c.notNull())
    .addColumn('pixel_id', t.uuid, (c) => c.notNull().references('tracking_pixels.id').onDelete('cascade'))
    .addColumn('event', t.text)
    .addColumn('sends_value', t.boolean, (c) => c.notNull().defaultTo(engineOf(db) === 'sqlite' ? 0 : false))
    .addPrimaryKeyConstraint('outcome_events_pkey', ['name', 'pixel_id'])
    .execute()
  await db.schema.createIndex('outcome_events_pixel_id_idx').on('outcome_events').column('pixel_id').execute()
}
