import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable, engineOf } from '../dialect.ts'

/** Whether a pixel may be paused automatically, its visits by minute, and the result. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await db.schema
    .alterTable('tracking_pixels')
    .addColumn('auto_disable', t.boolean, (c) =>
      c.notNull().defaultTo(engineOf(db) === 'sqlite' ? sql`0` : sql`false`),
    )
    .execute()
  await createTable(db, 'tag_minutes')
    .addColumn('pixel_id', t.uuid, (c) => c.notNull().references('tracking_pixels.id').onDelete('cascade'))
    .addColumn('revision', t.text, (c) => c.notNull())
    .addColumn('minute', t.timestamp, (c) => c.notNull())
    .addColumn('visits', t.integer, (c) => c.notNull())
    .addColumn('failed', t.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('tag_minutes_pkey', ['pixel_id', 'revision', 'minute'])
    .execute()
  await db.schema.createIndex('tag_minutes_minute_idx').on('tag_minutes').column('minute').execute()
  await createTable(db, 'tag_breakers')
    .addColumn('pixel_id', t.uuid, (c) =>
      c.primaryKey().notNull().references('tracking_pixels.id').onDelete('cascade'),
    )
    .addColumn('revision', t.text, (c) => c.notNull())
    .addColumn('state', t.text, (c) => c.notNull())
    .addColumn('visits', t.integer, (c) => c.notNull())
    .addColumn('failed', t.integer, (c) => c.notNull())
    .addColumn('tripped_at', t.timestamp, (c) => c.notNull())
    .execute()
}
