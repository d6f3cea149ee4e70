import { type Kysely, sql } from 'kysely'
import { columnTypes, engineOf } from '../dialect.ts'

/**
 * The day's visitors and the secrets of their hashes. Unlogged on PostgreSQL: nothing of them reaches its write-ahead
 * log, an archive or a standby.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  const isSqlite = engineOf(db) === 'sqlite'
  for (const name of ['visit_keys_even', 'visit_keys_odd']) {
    await (isSqlite
      ? sql`create table ${sql.table(name)} (key integer primary key, seen integer not null) strict`
      : sql`create unlogged table ${sql.table(name)} (key bigint primary key, seen integer not null) with (fillfactor = 80)`
    ).execute(db)
  }
  await (isSqlite
    ? sql`create table visit_secrets (day text primary key, secret text not null, created_at text not null) strict, without rowid`
    : sql`create unlogged table visit_secrets (day text primary key, secret text not null, created_at ${t.timestamp as ReturnType<typeof sql>} not null)`
  ).execute(db)
}
