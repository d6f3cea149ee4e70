import type { Kysely } from 'kysely'
import { columnTypes } from '../dialect.ts'

/** A session counts its refreshes, instead of storing each token in `auth_refresh_tokens`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await db.schema
    .alterTable('auth_sessions')
    .addColumn('refresh_counter', t.integer, (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('auth_sessions').addColumn('refreshed_at', t.timestamp).execute()
}
