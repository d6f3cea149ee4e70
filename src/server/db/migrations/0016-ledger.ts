import type { Kysely } from 'kysely'
import { columnTypes } from '../dialect.ts'

/** Visits in which a pixel's category was refused. Null in rows of before, or of an older process: nobody counted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await db.schema.alterTable('tag_reports').addColumn('not_consented', t.integer).execute()
}
