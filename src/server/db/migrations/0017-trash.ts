import { type Kysely, sql } from 'kysely'
import { columnTypes } from '../dialect.ts'

/**
 * Deleted pixels stay for a while. They are switched off as well, so that older processes and everything that reads
 * active pixels ignores them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await db.schema.alterTable('tracking_pixels').addColumn('deleted_at', t.timestamp).execute()
  await db.schema.alterTable('tracking_pixels').addColumn('deleted_by', t.text).execute()
  await db.schema.alterTable('tracking_pixels').addColumn('active_when_deleted', t.boolean).execute()
  await sql`create index tracking_pixels_deleted_at_idx on tracking_pixels (deleted_at) where deleted_at is not null`.execute(
    db,
  )
  // The history of one pixel, newest first.
  await db.schema
    .createIndex('audit_events_subject_idx')
    .on('audit_events')
    .columns(['subject', 'created_at', 'id'])
    .execute()
}
