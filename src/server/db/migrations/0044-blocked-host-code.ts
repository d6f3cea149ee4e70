import type { Kysely } from 'kysely'
import { columnTypes } from '../dialect.ts'

/** Which code of a pixel was kept from a host, and what it wanted there: a block says nothing about other code, or about what the page allows by now. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  for (const column of ['code_hash', 'use'])
    await db.schema.alterTable('blocked_hosts').addColumn(column, t.text).execute()
}
