import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type Database, type DatabaseOptions, openDatabase, SQLITE_FILE } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'
import { STORAGE_FOLDER } from './storage-folder.ts'

/** An empty migrated database of each engine, to be copied: creating it takes longer than most tests. */
export interface MigratedStorage {
  sqliteFile: string
  postgresDatabase: string
}

const POSTGRES_DATABASE = 'migrated'

/** Created once per run. The migrations themselves are tested elsewhere, and by every built server. */
export async function makeMigratedStorage(
  postgresSocket: string,
): Promise<MigratedStorage & { remove(): void }> {
  const dataDir = mkdtempSync(join(STORAGE_FOLDER, 'portico-migrated-'))
  const client = new pg.Client({ host: postgresSocket, user: 'postgres', database: 'postgres' })
  await client.connect()
  await client.query(`create database ${POSTGRES_DATABASE}`)
  await client.end()
  for (const databaseUrl of [null, `postgres://postgres@/${POSTGRES_DATABASE}?host=${postgresSocket}`]) {
    const { db, close } = openDatabase({ dataDir, databaseUrl })
    await migrate(db)
    await close()
  }
  return {
    sqliteFile: join(dataDir, SQLITE_FILE),
    postgresDatabase: POSTGRES_DATABASE,
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

export function copyMigratedFile({ sqliteFile }: MigratedStorage, dataDir: string): void {
  copyFileSync(sqliteFile, join(dataDir, SQLITE_FILE))
}

/** A copy gets its own site id, like a database that was migrated by itself. */
export async function openMigratedCopy(options: DatabaseOptions): Promise<Database> {
  const database = openDatabase(options)
  await database.db.updateTable('site_state').set({ site_id: randomUUID() }).execute()
  return database
}
