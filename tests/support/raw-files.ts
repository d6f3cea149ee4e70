import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { inject } from 'vitest'
import type { Db } from '#server/db/database.ts'
import type { Storage } from './engines.ts'

/** The names of the database's files, as they lie on the disk, that hold one of the texts. */
export async function filesHolding(storage: Storage, db: Db, texts: readonly string[]): Promise<string[]> {
  const folder = storage.databaseUrl === null ? storage.dataDir : await postgresFolder(db)
  return readdirSync(folder).filter((name) => {
    const path = join(folder, name)
    const content = statSync(path).isFile() ? readFileSync(path) : Buffer.alloc(0)
    return texts.some((text) => content.includes(text))
  })
}

/** PostgreSQL writes its files at a checkpoint, and removes then what a rewritten table left. */
async function postgresFolder(db: Db): Promise<string> {
  await sql`checkpoint`.execute(db)
  const { rows } = await sql<{ oid: number }>`
    select oid from pg_database where datname = current_database()
  `.execute(db)
  return join(inject('postgresSocket'), 'data', 'base', String(rows[0]?.oid))
}
