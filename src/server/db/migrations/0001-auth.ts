import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)

  await createTable(db, 'auth_users')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('email', t.text, (c) => c.notNull().check(sql`length(email) between 3 and 254`))
    .addColumn('password_hash', t.text)
    .addColumn('user_metadata', t.json, (c) => c.notNull())
    .addColumn('app_metadata', t.json, (c) => c.notNull())
    .addColumn('email_confirmed_at', t.timestamp)
    .addColumn('invited_at', t.timestamp)
    .addColumn('confirmation_sent_at', t.timestamp)
    .addColumn('recovery_sent_at', t.timestamp)
    .addColumn('new_email', t.text)
    .addColumn('email_change_sent_at', t.timestamp)
    .addColumn('reauthentication_sent_at', t.timestamp)
    .addColumn('last_sign_in_at', t.timestamp)
    .addColumn('banned_until', t.timestamp)
    .addColumn('deleted_at', t.timestamp)
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .addColumn('updated_at', t.timestamp, (c) => c.notNull())
    .execute()
  await sql`create unique index auth_users_email_key on auth_users (lower(email))`.execute(db)

  await createTable(db, 'admin_roles')
    .addColumn('user_id', t.uuid, (c) =>
      c.primaryKey().notNull().references('auth_users.id').onDelete('cascade'),
    )
    .addColumn('role', t.text, (c) => c.notNull().check(sql`role in ('admin', 'super_admin')`))
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .addColumn('updated_at', t.timestamp, (c) => c.notNull())
    .execute()

  await createTable(db, 'auth_logins')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('user_id', t.uuid, (c) => c.notNull().references('auth_users.id').onDelete('cascade'))
    .addColumn('token_hash', t.text, (c) => c.notNull().unique())
    .addColumn('aal', t.text, (c) => c.notNull().check(sql`aal in ('aal1', 'aal2')`))
    .addColumn('user_agent', t.text, (c) => c.notNull())
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .addColumn('last_used_at', t.timestamp, (c) => c.notNull())
    .addColumn('expires_at', t.timestamp, (c) => c.notNull())
    .execute()

  await createTable(db, 'auth_sessions')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('user_id', t.uuid, (c) => c.notNull().references('auth_users.id').onDelete('cascade'))
    .addColumn('login_id', t.uuid, (c) => c.references('auth_logins.id').onDelete('cascade'))
    .addColumn('aal', t.text, (c) => c.notNull().check(sql`aal in ('aal1', 'aal2')`))
    .addColumn('amr', t.json, (c) => c.notNull())
    .addColumn('user_agent', t.text, (c) => c.notNull())
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .addColumn('last_used_at', t.timestamp, (c) => c.notNull())
    .execute()

  await createTable(db, 'auth_refresh_tokens')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('session_id', t.uuid, (c) => c.notNull().references('auth_sessions.id').onDelete('cascade'))
    .addColumn('token_hash', t.text, (c) => c.notNull().unique())
    .addColumn('parent_id', t.uuid, (c) => c.references('auth_refresh_tokens.id').onDelete('cascade'))
    .addColumn('used_at', t.timestamp)
    .addColumn('retired_at', t.timestamp)
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .execute()

  await createTable(db, 'auth_factors')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('user_id', t.uuid, (c) => c.notNull().references('auth_users.id').onDelete('cascade'))
    .addColumn('friendly_name', t.text, (c) => c.notNull())
    .addColumn('factor_type', t.text, (c) => c.notNull().check(sql`factor_type = 'totp'`))
    .addColumn('status', t.text, (c) => c.notNull().check(sql`status in ('unverified', 'verified')`))
    .addColumn('secret', t.text, (c) => c.notNull())
    .addColumn('last_used_step', t.integer)
    .addColumn('last_challenged_at', t.timestamp)
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .addColumn('updated_at', t.timestamp, (c) => c.notNull())
    .addUniqueConstraint('auth_factors_user_id_friendly_name_key', ['user_id', 'friendly_name'])
    .execute()

  await createTable(db, 'auth_challenges')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('factor_id', t.uuid, (c) => c.notNull().references('auth_factors.id').onDelete('cascade'))
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .addColumn('expires_at', t.timestamp, (c) => c.notNull())
    .addColumn('verified_at', t.timestamp)
    .execute()

  await createTable(db, 'auth_recovery_codes')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('user_id', t.uuid, (c) => c.notNull().references('auth_users.id').onDelete('cascade'))
    .addColumn('code_hash', t.text, (c) => c.notNull())
    .addColumn('used_at', t.timestamp)
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .execute()

  await createTable(db, 'auth_one_time_tokens')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('user_id', t.uuid, (c) => c.notNull().references('auth_users.id').onDelete('cascade'))
    .addColumn('kind', t.text, (c) => c.notNull())
    .addColumn('token_hash', t.text, (c) => c.notNull().unique())
    .addColumn('code_hash', t.text)
    .addColumn('sent_to', t.text, (c) => c.notNull())
    .addColumn('attempts', t.integer, (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .addColumn('expires_at', t.timestamp, (c) => c.notNull())
    .addColumn('used_at', t.timestamp)
    .execute()

  await createTable(db, 'app_secrets')
    .addColumn('name', t.text, (c) => c.primaryKey().notNull())
    .addColumn('value', t.text, (c) => c.notNull())
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .execute()

  for (const [table, column] of [
    ['auth_logins', 'user_id'],
    ['auth_sessions', 'user_id'],
    ['auth_sessions', 'login_id'],
    ['auth_refresh_tokens', 'session_id'],
    ['auth_refresh_tokens', 'parent_id'],
    ['auth_challenges', 'factor_id'],
    ['auth_recovery_codes', 'user_id'],
    ['auth_one_time_tokens', 'user_id'],
  ] as const) {
    await db.schema.createIndex(`${table}_${column}_idx`).on(table).column(column).execute()
  }
}
