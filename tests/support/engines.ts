import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { parseConfig } from '#server/config.ts'
import type { Database } from '#server/db/database.ts'
import { prepareDatabase } from '#server/secrets/encrypted-database.ts'
import { makeSecretKeyFile } from '#server/secrets/secret-key.ts'
import type { SecretBox } from '#server/secrets/secrets.ts'
import { copyMigratedFile, openMigratedCopy } from './migrated-storage.ts'
import { STORAGE_FOLDER } from './storage-folder.ts'
import { tier } from './tier.ts'

/** For tests of code that differs by engine. */
export const ENGINES = ['sqlite', 'postgres'] as const
export type EngineName = (typeof ENGINES)[number]

/**
 * For all other tests, as `describe.each(TIER_ENGINES)('…, on %s', …)`: SQLite in `npm test`, PostgreSQL in
 * `npm run test:full`, which runs them by that part of their name.
 */
export const TIER_ENGINES: readonly EngineName[] =
  tier === 'fast' ? ['sqlite'] : tier === 'postgres' ? ['postgres'] : ENGINES

export interface Storage {
  dataDir: string
  databaseUrl: string | null
  /** The environment of a server or command for this place. */
  env: Record<string, string>
  remove(): Promise<void>
}

/** Empty storage on the given engine, or an empty migrated database. */
export async function makeStorage(engine: EngineName, { isMigrated = false } = {}): Promise<Storage> {
  const dataDir = mkdtempSync(join(STORAGE_FOLDER, 'portico-test-'))
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
  // Its files are copied: writing row by row to the log takes four times as long.
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

/** A migrated database for one test file. Call `close` when done. */
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

/** Fails for what a server would only log. */
export function failOnProblem(error: unknown): never {
  throw error
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ host: inject('postgresSocket'), user: 'postgres', database: 'postgres' })
  await client.connect()
  await client.query(statement)
  await client.end()
}
