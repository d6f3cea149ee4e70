import type { Kysely } from 'kysely'
import { columnTypes } from '../dialect.ts'

/** How many networks said that a host was blocked: what a list that is full is sorted out by. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await db.schema
    .alterTable('blocked_hosts')
    .addColumn('networks', t.integer, (c) => c.notNull().defaultTo(1))
    .execute()
}
