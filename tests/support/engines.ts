import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { parseConfig } from '#server/config.ts'
import type { Database } from '#server/db/database.ts'
import { prepareDatabase } from '#server/secrets/encrypted-database.ts'
import { makeSecretKeyFile } from '#server/secrets/secret-key.ts'
import type { SecretBox } from '#server/secrets/secrets.ts'
import { copyMigratedFile, openMigratedCopy } from './migrated-storage.ts'

export const ENGINES = ['sqlite', 'postgres'] as const
export type EngineName = (typeof ENGINES)[number]

export interface Storage {
  dataDir: string
  databaseUrl: string | null
  /** What a server or a command needs to know to use this place. */
  env: Record<string, string>
  remove(): Promise<void>
}

/** An empty place to store things, on the engine asked for; or one whose database has been migrated, and holds nothing else. */
export async function makeStorage(engine: EngineName, { isMigrated = false } = {}): Promise<Storage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portico-test-'))
  const removeDirectory = () => rmSync(dataDir, { recursive: true, force: true })
  if (engine === 'sqlite') {
    if (isMigrated) copyMigratedFile(inject('migratedStorage'), dataDir)
    return {
      dataDir,
      databaseUrl: null,
      env: { DATA_DIR: dataDir },
      remove: async () => removeDirectory(),
    }
  }
  const name = `t_${randomUUID().replaceAll('-', '')}`
  const template = isMigrated ? inject('migratedStorage').postgresDatabase : 'template1'
  // Its files are copied: written to the log row by row, as usual, it takes four times as long.
  await onServer(`create database ${name} template ${template} strategy file_copy`)
  const databaseUrl = `postgres://postgres@/${name}?host=${inject('postgresSocket')}`
  const secretKeyFile = join(dataDir, 'postgres-secret.key')
  await makeSecretKeyFile(secretKeyFile)
  return {
    dataDir,
    databaseUrl,
    env: { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, SECRET_KEY_FILE: secretKeyFile },
    remove: async () => {
      await onServer(`drop database ${name} with (force)`)
      removeDirectory()
    },
  }
}

export interface TestDatabase extends Database {
  secrets: SecretBox
}

/** A migrated database of its own for one test file. Call `close` when done. */
export async function makeDatabase(engine: EngineName): Promise<TestDatabase> {
  const storage = await makeStorage(engine, { isMigrated: true })
  const database = await openMigratedCopy(storage)
  const secrets = await prepareDatabase(parseConfig(storage.env), database.db, failOnProblem)
  return {
    ...database,
    secrets,
    close: async () => {
      await database.close()
      await storage.remove()
    },
  }
}

/** What a server would only log. */
export function failOnProblem(error: unknown): never {
  throw error
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ host: inject('postgresSocket'), user: 'postgres', database: 'postgres' })
  await client.connect()
  await client.query(statement)
  await client.end()
}
