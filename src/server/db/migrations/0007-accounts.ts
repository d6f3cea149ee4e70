import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable, engineOf } from '../dialect.ts'

const CHAINED = 'auth_refresh_tokens'
const UNCHAINED = 'auth_refresh_tokens_without_cascade'

/**
 * A token is no longer deleted with its parent: SQLite stops such a cascade at 1,000 rows, so that longer sessions
 * could not be ended. Ending a session still deletes all its tokens.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await (engineOf(db) === 'sqlite' ? rebuildWithoutCascade(db) : dropCascade(db))
  const t = columnTypes(db)
  // The account that the configuration named at the last start.
  await db.schema.alterTable('site_state').addColumn('principal_id', t.uuid).execute()
  // Existing accounts count as proved: they were accepted by the rules of their time.
  await db.schema.alterTable('auth_users').addColumn('mailbox_proved_at', t.timestamp).execute()
  await sql`update auth_users set mailbox_proved_at = email_confirmed_at`.execute(db)
}

async function dropCascade(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable(CHAINED).dropConstraint('auth_refresh_tokens_parent_id_fkey').execute()
}

/** SQLite cannot drop a constraint, and dropping the table deletes rows by its own rules: chains are removed first. */
async function rebuildWithoutCascade(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, UNCHAINED)
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('session_id', t.uuid, (c) => c.notNull().references('auth_sessions.id').onDelete('cascade'))
    .addColumn('token_hash', t.text, (c) => c.notNull().unique())
    .addColumn('parent_id', t.uuid)
    .addColumn('used_at', t.timestamp)
    .addColumn('retired_at', t.timestamp)
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .execute()
  const columns = sql.raw('id, session_id, token_hash, parent_id, used_at, retired_at, created_at')
  await sql`insert into ${sql.table(UNCHAINED)} (${columns}) select ${columns} from ${sql.table(CHAINED)}`.execute(
    db,
  )
  await sql`update ${sql.table(CHAINED)} set parent_id = null`.execute(db)
  await db.schema.dropTable(CHAINED).execute()
  await db.schema.alterTable(UNCHAINED).renameTo(CHAINED).execute()
  for (const column of ['session_id', 'parent_id'])
    await db.schema.createIndex(`${CHAINED}_${column}_idx`).on(CHAINED).column(column).execute()
}
