import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BackupError } from './backup-error.ts'
import { prepareDataDirectory, SQLITE_FILE } from './database.ts'
import { type BackupFacts, inspectBackup } from './inspect-backup.ts'
import { syncToDisk } from './owner-only.ts'
import { LEFT_BEHIND, type LeftBehind, sumLeftBehind } from './transfer/left-behind.ts'

export interface MadeBackup extends BackupFacts {
  leftBehind: LeftBehind
}

/** One consistent file, taken in one read transaction beside a live server, and on the disk when this returns. */
export function backupDatabase(dataDir: string, target: string): MadeBackup {
  const source = join(dataDir, SQLITE_FILE)
  if (!existsSync(source)) throw new BackupError(`Não há banco de dados em ${dataDir}.`)
  if (existsSync(target)) throw new BackupError(`O arquivo ${target} já existe; escolha outro nome.`)
  prepareDataDirectory(dataDir)
  const partial = `${target}.partial`
  try {
    rmSync(partial, { force: true })
    // SQLite fills an empty file, and so keeps its rights.
    closeSync(openSync(partial, 'wx', 0o600))
    copyInto(source, partial)
    const leftBehind = leaveBehind(partial)
    const facts = inspectBackup(partial, target)
    syncToDisk(partial)
    renameSync(partial, target)
    syncToDisk(dirname(target))
    return { ...facts, leftBehind }
  } catch (error) {
    throw new BackupError(`Não foi possível gravar o backup em ${target}: ${(error as Error).message}`)
  } finally {
    rmSync(partial, { force: true })
  }
}

function copyInto(source: string, target: string): void {
  const database = new DatabaseSync(source, { timeout: 5000 })
  try {
    database.prepare('vacuum into ?').run(target)
  } finally {
    database.close()
  }
}

/** What waits to be sent is about visitors, and whoever restores a backup later must not send it again. */
function leaveBehind(file: string): LeftBehind {
  const database = new DatabaseSync(file)
  try {
    const leftBehind = sumLeftBehind(countWaiting(database))
    for (const table of LEFT_BEHIND) {
      // An older database does not have it yet.
      if (database.prepare('select 1 from sqlite_schema where name = ?').get(table) === undefined) continue
      if (database.prepare(`delete from ${table}`).run().changes === 0) continue
      // Deleted rows stay in the file until it is written anew.
      database.exec('vacuum')
    }
    return leftBehind
  } finally {
    database.close()
  }
}

function countWaiting(database: DatabaseSync): { kind: string; waiting: number }[] {
  const columns = database.prepare("select name from pragma_table_info('deliveries')").all()
  if (columns.length === 0) return []
  // Before there was one queue, it held events alone.
  const kind = columns.some(({ name }) => name === 'kind') ? 'kind' : "'event'"
  return database
    .prepare(`select ${kind} as kind, count(*) as waiting from deliveries group by 1`)
    .all()
    .map((row) => ({ kind: String(row.kind), waiting: Number(row.waiting) }))
}
