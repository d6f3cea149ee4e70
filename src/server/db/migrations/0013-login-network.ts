import type { Kysely } from 'kysely'
import { columnTypes } from '../dialect.ts'

/** The network that a login came from, so that people can tell their browsers apart. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db)
  for (const table of ['auth_logins', 'auth_sessions'])
    await db.schema.alterTable(table).addColumn('network', text).execute()
}
