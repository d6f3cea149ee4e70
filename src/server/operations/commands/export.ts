/** `npm run export -- FILE`: everything that the database holds, for `npm run import` on either engine. */
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Config } from '#server/config.ts'
import { backupDatabase } from '#server/db/backup/backup.ts'
import { type Db, openDatabase, SQLITE_FILE } from '#server/db/database.ts'
import { BackupError } from '#server/db/errors.ts'
import { migrate } from '#server/db/migrate.ts'
import {
  countLeftBehind,
  describeLeftBehind,
  exportRows,
  type LeftBehind,
  readSnapshot,
} from '#server/db/transfer/export.ts'
import { readArguments, runCommand, UsageError } from './run-command.ts'

const USAGE = 'Uso: npm run export -- ARQUIVO'

await runCommand(async ({ args, withDatabase }) => {
  const [name] = readArguments(args, { usage: USAGE, options: {}, names: 1 }).positionals
  if (name === undefined) throw new UsageError(USAGE)
  const file = resolve(name)
  await withDatabase(async (database, config) => {
    const leftBehind = await onSnapshot(database, config, (db) => write(db, file))
    console.log(`Banco de dados exportado para ${file}.`)
    console.log(describeLeftBehind(leftBehind))
    console.log(
      `Os segredos nele continuam cifrados: leve também ${config.secretKey.file} para o lugar em que vai importar.`,
    )
  })
})

/** Sealed secrets and people's addresses: for the owner's eyes, and never over another file. */
async function write(db: Db, file: string): Promise<void> {
  try {
    await pipeline(
      Readable.from(exportRows(db)),
      createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new BackupError(`O arquivo ${file} já existe e não foi alterado.`)
    throw error
  }
}

/** A running server goes on writing: what is exported is one moment of it. */
async function onSnapshot(
  database: Db,
  config: Config,
  work: (db: Db) => Promise<void>,
): Promise<LeftBehind> {
  if (config.databaseUrl !== null) return onPostgres(database, work)
  const folder = mkdtempSync(join(config.dataDir, 'export-'))
  try {
    const { leftBehind } = backupDatabase(config.dataDir, join(folder, SQLITE_FILE))
    const { db, close } = openDatabase({ dataDir: folder, databaseUrl: null })
    try {
      await migrate(db)
      await work(db)
    } finally {
      await close()
    }
    return leftBehind
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function onPostgres(database: Db, work: (db: Db) => Promise<void>): Promise<LeftBehind> {
  const { newer } = await migrate(database)
  if (newer.length > 0)
    throw new BackupError(
      `O banco de dados é de uma versão mais nova (${newer.join(', ')}). Atualize e exporte de novo.`,
    )
  return readSnapshot(database, async (db) => {
    await work(db)
    return countLeftBehind(db)
  })
}
