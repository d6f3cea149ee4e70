import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Database, type DatabaseOptions, openDatabase, SQLITE_FILE } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'

/** An empty database of each engine after every migration, to be copied: making it takes longer than most tests. */
export interface MigratedStorage {
  sqliteFile: string
  postgresDatabase: string
}

const POSTGRES_DATABASE = 'migrated'

/** Made once for the whole run. That the migrations can be run is proved where they are tested, and by every built server. */
export async function makeMigratedStorage(
  postgresSocket: string,
): Promise<MigratedStorage & { remove(): void }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portico-migrated-'))
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

/** A copy becomes a site of its own, as each database is that was migrated by itself. */
export async function openMigratedCopy(options: DatabaseOptions): Promise<Database> {
  const database = openDatabase(options)
  await database.db.updateTable('site_state').set({ site_id: randomUUID() }).execute()
  return database
}
