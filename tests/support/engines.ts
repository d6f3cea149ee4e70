import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'

export const ENGINES = ['sqlite', 'postgres'] as const
export type EngineName = (typeof ENGINES)[number]

export interface Storage {
  dataDir: string
  databaseUrl: string | null
  remove(): Promise<void>
}

/** An empty place to store things, on the engine asked for. */
export async function makeStorage(engine: EngineName): Promise<Storage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portico-test-'))
  const removeDirectory = () => rmSync(dataDir, { recursive: true, force: true })
  if (engine === 'sqlite') return { dataDir, databaseUrl: null, remove: async () => removeDirectory() }
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await onServer(`create database ${name}`)
  return {
    dataDir,
    databaseUrl: `postgres://postgres@/${name}?host=${inject('postgresSocket')}`,
    remove: async () => {
      await onServer(`drop database ${name} with (force)`)
      removeDirectory()
    },
  }
}

/** A migrated database of its own for one test file. Call `close` when done. */
export async function makeDatabase(engine: EngineName): Promise<Database> {
  const storage = await makeStorage(engine)
  const database = openDatabase(storage)
  await migrate(database.db)
  return {
    ...database,
    close: async () => {
      await database.close()
      await storage.remove()
    },
  }
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ host: inject('postgresSocket'), user: 'postgres', database: 'postgres' })
  await client.connect()
  await client.query(statement)
  await client.end()
}
