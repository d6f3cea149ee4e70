import type { Kysely } from 'kysely'

/** What waits for a pixel that is stopped or off is found by the time at which its vendor no longer takes it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('deliveries_expires_at_idx').on('deliveries').column('expires_at').execute()
}
