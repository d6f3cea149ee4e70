import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/**
 * Public keys of authenticators, for sign-in (passkeys) or as a second factor, and answered challenges.
 * `auth_factors.factor_type` only allows `totp`, and SQLite cannot widen a check: `kind` holds the type instead.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await db.schema
    .alterTable('auth_factors')
    .addColumn('kind', t.text, (c) => c.notNull().defaultTo('totp').check(sql`kind in ('totp', 'webauthn')`))
    .execute()
  await createTable(db, 'auth_passkeys')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('user_id', t.uuid, (c) => c.notNull().references('auth_users.id').onDelete('cascade'))
    .addColumn('factor_id', t.uuid, (c) => c.references('auth_factors.id').onDelete('cascade'))
    .addColumn('credential_id', t.text, (c) => c.notNull().unique())
    .addColumn('public_key', t.text, (c) => c.notNull())
    .addColumn('sign_count', t.integer, (c) => c.notNull())
    .addColumn('transports', t.json, (c) => c.notNull())
    .addColumn('friendly_name', t.text, (c) => c.notNull())
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .addColumn('updated_at', t.timestamp, (c) => c.notNull())
    .addColumn('last_used_at', t.timestamp)
    .execute()
  await createTable(db, 'auth_spent_challenges')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('expires_at', t.timestamp, (c) => c.notNull())
    .execute()
  for (const [table, column] of [
    ['auth_passkeys', 'user_id'],
    ['auth_passkeys', 'factor_id'],
    ['auth_spent_challenges', 'expires_at'],
  ] as const) {
    await db.schema.createIndex(`${table}_${column}_idx`).on(table).column(column).execute()
  }
}
