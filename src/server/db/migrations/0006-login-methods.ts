import type { Kysely } from 'kysely'
import { columnTypes } from '../dialect.ts'

/** How the person of a login authenticated, so that each of its tabs can say the same. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('auth_logins')
    .addColumn('amr', columnTypes(db).json, (c) => c.notNull().defaultTo('[]'))
    .execute()
}
