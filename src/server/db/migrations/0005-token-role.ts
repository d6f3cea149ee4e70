import type { Kysely } from 'kysely'
import { columnTypes } from '../dialect.ts'

/** The protocol's database role of an account, part of its tokens; it grants nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('auth_users')
    .addColumn('token_role', columnTypes(db).text, (c) => c.notNull().defaultTo('authenticated'))
    .execute()
}
