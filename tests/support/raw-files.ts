import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { inject } from 'vitest'
import type { Db } from '#server/db/database.ts'
import type { Storage } from './engines.ts'

/**
 * Names of the database's files on disk that contain one of the texts. SQLite's log is one of them; PostgreSQL's, which
 * all databases of the server share, is read by `logsHolding`.
 */
export async function filesHolding(
  storage: Storage,
  db: Db,
  texts: readonly (string | Buffer)[],
): Promise<string[]> {
  return namesHolding(storage.databaseUrl === null ? storage.dataDir : await postgresFolder(db), texts)
}

/** Names of PostgreSQL's write-ahead log files that contain one of the texts. */
export function logsHolding(texts: readonly (string | Buffer)[]): string[] {
  return namesHolding(join(inject('postgresSocket'), 'data', 'pg_wal'), texts)
}

function namesHolding(folder: string, texts: readonly (string | Buffer)[]): string[] {
  return readdirSync(folder).filter((name) => {
    const path = join(folder, name)
    const content = statSync(path).isFile() ? readFileSync(path) : Buffer.alloc(0)
    return texts.some((text) => content.includes(text))
  })
}

/** PostgreSQL writes its files at a checkpoint, and then removes what a rewritten table left. */
async function postgresFolder(db: Db): Promise<string> {
  await sql`checkpoint`.execute(db)
  const { rows } = await sql<{ oid: number }>`
    select oid from pg_database where datname = current_database()
  `.execute(db)
  return join(inject('postgresSocket'), 'data', 'base', String(rows[0]?.oid))
}
