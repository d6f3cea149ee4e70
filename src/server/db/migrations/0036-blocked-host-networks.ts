import type { Kysely } from 'kysely'
import { columnTypes } from '../dialect.ts'

/** How many networks reported a blocked host: decides which one a full list drops. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await db.schema
    .alterTable('blocked_hosts')
    .addColumn('networks', t.integer, (c) => c.notNull().defaultTo(1))
    .execute()
}
