import type { Kysely } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/** Service keys by name, so that they can be listed and revoked; the keys themselves are not stored. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'auth_api_keys')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('name', t.text, (c) => c.notNull().unique())
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .addColumn('expires_at', t.timestamp)
    .addColumn('revoked_at', t.timestamp)
    .execute()
}
