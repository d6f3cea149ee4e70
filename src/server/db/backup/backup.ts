import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { syncToDisk } from '../data-directory.ts'
import { prepareDataDirectory, SQLITE_FILE } from '../database.ts'
import { BackupError } from '../errors.ts'
import { MIGRATION_NAMES } from '../migrate.ts'
import { LEFT_BEHIND, type LeftBehind, sumLeftBehind } from '../transfer/export.ts'
import { encryptFile } from './encryption.ts'
import { listBackups } from './schedule.ts'

/**
 * Makes a backup that was opened, checked and counted; with a recipient it is then encrypted, and no plain file stays.
 */
export async function makeBackup(
  dataDir: string,
  target: string,
  recipient: string | null,
): Promise<MadeBackup> {
  if (recipient === null) return backupDatabase(dataDir, target)
  if (existsSync(target)) throw new BackupError(`O arquivo ${target} já existe. Escolha outro nome.`)
  const [plain, partial] = [`${target}.plain`, `${target}.partial`]
  try {
    rmSync(plain, { force: true })
    const facts = backupDatabase(dataDir, plain)
    await encryptFile(plain, partial, recipient)
    syncToDisk(partial)
    renameSync(partial, target)
    syncToDisk(dirname(target))
    return facts
  } finally {
    for (const file of [plain, partial]) rmSync(file, { force: true })
  }
}

export interface MadeBackup extends BackupFacts {
  leftBehind: LeftBehind
}

/** One consistent file, copied in one read transaction beside a live server, and on disk when this returns. */
export function backupDatabase(dataDir: string, target: string): MadeBackup {
  const source = join(dataDir, SQLITE_FILE)
  if (!existsSync(source)) throw new BackupError(`Não há banco de dados em ${dataDir}. Confira DATA_DIR.`)
  if (existsSync(target)) throw new BackupError(`O arquivo ${target} já existe. Escolha outro nome.`)
  prepareDataDirectory(dataDir)
  const partial = `${target}.partial`
  try {
    rmSync(partial, { force: true })
    // SQLite fills an empty file and keeps its mode.
    closeSync(openSync(partial, 'wx', 0o600))
    copyInto(source, partial)
    const leftBehind = leaveBehind(partial)
    const facts = inspectBackup(partial, target)
    syncToDisk(partial)
    renameSync(partial, target)
    syncToDisk(dirname(target))
    return { ...facts, leftBehind }
  } catch (error) {
    throw new BackupError(
      `Não foi possível gravar o backup em ${target}: ${(error as Error).message}. Confira a pasta e o espaço em disco.`,
    )
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

/** Waiting jobs contain data of visitors, and a restored backup must not send them again. */
function leaveBehind(file: string): LeftBehind {
  const database = new DatabaseSync(file)
  try {
    const leftBehind = sumLeftBehind(countWaiting(database))
    for (const table of LEFT_BEHIND) {
      // An older database does not have it yet.
      if (database.prepare('select 1 from sqlite_schema where name = ?').get(table) === undefined) continue
      if (database.prepare(`delete from ${table}`).run().changes === 0) continue
      // Deleted rows stay in the file until it is rewritten.
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
  // In older versions the table contained only events.
  const kind = columns.some(({ name }) => name === 'kind') ? 'kind' : "'event'"
  return database
    .prepare(`select ${kind} as kind, count(*) as waiting from deliveries group by 1`)
    .all()
    .map((row) => ({ kind: String(row.kind), waiting: Number(row.waiting) }))
}

export interface BackupFacts {
  /** The key of its encrypted secrets; null if there are none. */
  keyId: string | null
  /** In all tables together. */
  rows: number
  tables: number
  /** Migrations that it lacks: the next start applies them. */
  missing: string[]
}

/**
 * Refuses anything but a complete backup of this or an earlier version. `shown` is the name that the operator knows.
 */
export function inspectBackup(file: string, shown: string): BackupFacts {
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(file)
    const verdict = String(database.prepare('pragma integrity_check').get()?.integrity_check)
    if (verdict !== 'ok') throw damaged(shown, verdict)
    if (!hasTable(database, 'tracking_pixels') || !hasTable(database, 'kysely_migration'))
      throw new BackupError(`O arquivo ${shown} é um banco de dados, mas não do Pórtico. Confira o caminho.`)
    const applied = refuseNewer(database, shown)
    const missing = [...MIGRATION_NAMES].filter((name) => !applied.includes(name))
    return { keyId: readKeyId(database), ...countRows(database), missing }
  } catch (error) {
    throw error instanceof BackupError ? error : damaged(shown, (error as Error).message)
  } finally {
    database?.close()
  }
}

function refuseNewer(database: DatabaseSync, shown: string): string[] {
  const rows = database.prepare('select name from kysely_migration order by name').all()
  const applied = rows.map((row) => String(row.name))
  const unknown = applied.filter((name) => !MIGRATION_NAMES.has(name))
  if (unknown.length > 0)
    throw new BackupError(
      `O arquivo ${shown} é de uma versão mais nova do Pórtico (${unknown.join(', ')}). Atualize o Pórtico e restaure de novo.`,
    )
  return applied
}

/** Every table is read completely: unreadable rows are found. */
function countRows(database: DatabaseSync): { rows: number; tables: number } {
  const tables = database
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'")
    .all()
    .map((row) => String(row.name))
  const counts = tables.map((name) =>
    Number(database.prepare(`select count(*) as n from "${name}"`).get()?.n),
  )
  return { rows: counts.reduce((sum, count) => sum + count, 0), tables: tables.length }
}

function readKeyId(database: DatabaseSync): string | null {
  if (!hasTable(database, 'secret_key')) return null
  const keyId = database.prepare('select key_id from secret_key').get()?.key_id
  return typeof keyId === 'string' ? keyId : null
}

function hasTable(database: DatabaseSync, name: string): boolean {
  return (
    database.prepare("select count(*) as n from sqlite_master where type = 'table' and name = ?").get(name)
      ?.n === 1
  )
}

function damaged(shown: string, detail: string): BackupError {
  return new BackupError(
    `O arquivo ${shown} está danificado ou não é um backup do Pórtico (${detail.split('\n')[0]}). Copie o arquivo de novo ou use outro backup.`,
  )
}

interface Place {
  dataDir: string
  secretKey: { file: string; makeIfAbsent: boolean }
  backup: { directory: string }
}

/**
 * Why a missing or empty SQLite database must not be created: a generated key or backups show that a site was here. A
 * new one would have another principal, and its backups would push out the good ones. Null if nothing speaks against
 * it.
 */
export function refuseEmptied({ dataDir, secretKey, backup }: Place): string | null {
  const file = join(dataDir, SQLITE_FILE)
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) return null
  const backups = listBackups(backup.directory)
  const found = [
    // A key file named by the operator may exist before the first start.
    ...(secretKey.makeIfAbsent && existsSync(secretKey.file) ? [secretKey.file] : []),
    ...[`${file}-wal`].filter((log) => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0),
    ...(backups.length === 0
      ? []
      : [`${backups.length === 1 ? '1 backup' : `${backups.length} backups`} em ${backup.directory}`]),
  ]
  if (found.length === 0) return null
  const [newest] = backups
  return `O banco de dados ${file} ${existsSync(file) ? 'está vazio (0 bytes)' : 'não existe'}, mas já houve um site aqui: ${found.join(', ')}.
Para trazê-lo de volta: npm run restore -- ${newest?.file ?? 'ARQUIVO'} --force
Para começar um site novo, sem os dados do anterior: npm start -- --new-site`
}
