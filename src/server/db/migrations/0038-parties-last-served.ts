import { type Kysely, sql } from 'kysely'
import { columnTypes } from '../dialect.ts'

/**
 * When a tag set was last served or named by a choice, so that recipients that no record names can be deleted; null in
 * older rows. The index finds records that name them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('consent_parties')
    .addColumn('last_served_at', columnTypes(db).timestamp)
    .execute()
  await sql`create index consent_records_parties_hash_idx on consent_records (parties_hash) where parties_hash is not null`.execute(
    db,
  )
}
