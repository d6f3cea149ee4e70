/** `npm run export -- FILE`: everything that the database holds, for `npm run import` on either engine. */
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Config, parseConfig, readEnvironment } from '../config.ts'
import { backupDatabase } from '../db/backup.ts'
import { BackupError } from '../db/backup-error.ts'
import { type Db, openDatabase, SQLITE_FILE } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { readSnapshot } from '../db/read-snapshot.ts'
import { exportRows } from '../db/transfer/export-rows.ts'
import { runCommand, UsageError } from './run-command.ts'

await runCommand(async () => {
  const [file] = process.argv.slice(2)
  if (file === undefined) throw new UsageError('Uso: npm run export -- ARQUIVO')
  const config = parseConfig(readEnvironment())
  await onSnapshot(config, async (db) => {
    try {
      // Sealed secrets and people's addresses: for the owner's eyes, and never over another file.
      await pipeline(
        Readable.from(exportRows(db)),
        createWriteStream(resolve(file), { flags: 'wx', mode: 0o600, flush: true }),
      )
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST')
        throw new BackupError(`O arquivo ${resolve(file)} já existe e não foi alterado.`)
      throw error
    }
  })
  console.log(`Banco de dados exportado para ${resolve(file)}.`)
  console.log(
    `Os segredos nele continuam cifrados: leve também ${config.secretKey.file} para o lugar em que vai importar.`,
  )
})

/** A running server goes on writing: what is exported is one moment of it. */
async function onSnapshot(config: Config, work: (db: Db) => Promise<void>): Promise<void> {
  if (config.databaseUrl !== null) return onPostgres(config, work)
  const folder = mkdtempSync(join(config.dataDir, 'export-'))
  try {
    backupDatabase(config.dataDir, join(folder, SQLITE_FILE))
    const { db, close } = openDatabase({ dataDir: folder, databaseUrl: null })
    try {
      await migrate(db)
      await work(db)
    } finally {
      await close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function onPostgres(config: Config, work: (db: Db) => Promise<void>): Promise<void> {
  const { db, close } = openDatabase(config)
  try {
    const { newer } = await migrate(db)
    if (newer.length > 0)
      throw new BackupError(
        `O banco de dados é de uma versão mais nova (${newer.join(', ')}). Atualize e exporte de novo.`,
      )
    await readSnapshot(db, work)
  } finally {
    await close()
  }
}
