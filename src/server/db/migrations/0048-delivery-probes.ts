import type { Kysely } from 'kysely'
import { columnTypes } from '../dialect.ts'

/** When a stopped pixel was last tried again, apart from when it stopped. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('delivery_stops').addColumn('tried_at', columnTypes(db).timestamp).execute()
}
