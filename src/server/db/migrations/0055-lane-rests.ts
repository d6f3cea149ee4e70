import type { Kysely } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/** Lanes of the outbox whose receiver failed, and until when all processes leave it alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'lane_rests')
    .addColumn('lane', t.text, (c) => c.primaryKey().notNull())
    .addColumn('failures', t.integer, (c) => c.notNull())
    .addColumn('until', t.timestamp, (c) => c.notNull())
    .execute()
  await db.schema.createIndex('lane_rests_until_idx').on('lane_rests').column('until').execute()
}
