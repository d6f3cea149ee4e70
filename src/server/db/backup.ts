import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { lockDataDirectory } from './data-directory-lock.ts'
import { prepareDataDirectory, SQLITE_FILE } from './database.ts'

/** A refusal that the operator can act on. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

/** One consistent file, taken in one read transaction beside a live server. */
export function backupDatabase(dataDir: string, target: string): void {
  const source = join(dataDir, SQLITE_FILE)
  if (!existsSync(source)) throw new BackupError(`Não há banco de dados em ${dataDir}.`)
  if (existsSync(target)) throw new BackupError(`O arquivo ${target} já existe; escolha outro nome.`)
  const partial = `${target}.partial`
  rmSync(partial, { force: true })
  const database = new DatabaseSync(source, { timeout: 5000 })
  try {
    database.prepare('vacuum into ?').run(partial)
    renameSync(partial, target)
  } catch (error) {
    throw new BackupError(`O backup não pôde ser gravado em ${target}: ${(error as Error).message}`)
  } finally {
    database.close()
    rmSync(partial, { force: true })
  }
}

/** Puts a backup in the place of the database, which must not be in use; what was there goes only with `force`. */
export function restoreDatabase(dataDir: string, backup: string, force: boolean): void {
  if (!existsSync(backup)) throw new BackupError(`O arquivo ${backup} não existe.`)
  assertIsBackup(backup)
  const target = join(prepareDataDirectory(dataDir), SQLITE_FILE)
  const unlock = lockDataDirectory(dataDir)
  try {
    if (existsSync(target) && !force) {
      throw new BackupError(`Já existe um banco de dados em ${dataDir}. Use --force para substituí-lo.`)
    }
    const incoming = `${target}.incoming`
    copyFileSync(backup, incoming)
    // The log of the former database must not be replayed into the restored one.
    for (const suffix of ['-wal', '-shm']) rmSync(target + suffix, { force: true })
    renameSync(incoming, target)
  } finally {
    unlock()
  }
}

function assertIsBackup(file: string): void {
  try {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      const verdict = database.prepare('pragma integrity_check').get()?.integrity_check
      const tables = database
        .prepare("select count(*) as n from sqlite_master where name = 'tracking_pixels'")
        .get()
      if (verdict === 'ok' && tables?.n === 1) return
    } finally {
      database.close()
    }
  } catch {
    // Not a database at all: the same answer.
  }
  throw new BackupError(`O arquivo ${file} não é um backup íntegro do Pórtico.`)
}
