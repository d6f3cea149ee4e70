import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { columnTypes } from '../dialect.ts'

/** Tells this site's data from any other's, such as an empty database that answers at the same address. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('site_state').addColumn('site_id', columnTypes(db).uuid).execute()
  await sql`update site_state set site_id = ${randomUUID()}`.execute(db)
}
