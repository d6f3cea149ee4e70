import type { Kysely } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/** Visits whose code went to the app, by a hash of the code. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'visit_codes')
    .addColumn('id', t.text, (c) => c.primaryKey().notNull())
    .addColumn('consent_id', t.uuid, (c) => c.notNull())
    .addColumn('channel', t.text, (c) => c.notNull())
    .addColumn('campaign', t.text, (c) => c.notNull())
    .addColumn('click_ids', t.text)
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .execute()
  for (const column of ['consent_id', 'created_at'])
    await db.schema.createIndex(`visit_codes_${column}_idx`).on('visit_codes').column(column).execute()
}
