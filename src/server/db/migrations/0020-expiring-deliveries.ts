import type { Kysely } from 'kysely'

/** Finds events of stopped or inactive pixels by their expiry. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('deliveries_expires_at_idx').on('deliveries').column('expires_at').execute()
}
