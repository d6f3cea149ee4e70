import type { Kysely } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/** A link in a mail may lead to an address of the operator's with a code, which is worth a session to whoever asked for the mail. */
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
