import type { Kysely } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/** An emailed link may lead to a listed address with a code, which the requester exchanges for a session. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  for (const column of ['code_challenge', 'redirect_to'])
    await db.schema.alterTable('auth_one_time_tokens').addColumn(column, t.text).execute()
  await createTable(db, 'auth_link_codes')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('token_id', t.uuid, (c) =>
      c.notNull().references('auth_one_time_tokens.id').onDelete('cascade'),
    )
    .addColumn('code_hash', t.text, (c) => c.notNull().unique())
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .addColumn('expires_at', t.timestamp, (c) => c.notNull())
    .execute()
  for (const column of ['token_id', 'expires_at'])
    await db.schema
      .createIndex(`auth_link_codes_${column}_idx`)
      .on('auth_link_codes')
      .column(column)
      .execute()
}
