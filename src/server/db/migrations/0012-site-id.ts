import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { columnTypes } from '../dialect.ts'

/** Distinguishes this site's data from other data at the same address, such as an empty database. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('site_state').addColumn('site_id', columnTypes(db).uuid).execute()
  await sql`update site_state set site_id = ${randomUUID()}`.execute(db)
}
