import { DatabaseSync } from 'node:sqlite'
import { BackupError } from './backup-error.ts'
import { MIGRATION_NAMES } from './migrate.ts'

export interface BackupFacts {
  /** The key that its secrets are sealed with; null where nothing is sealed. */
  keyId: string | null
  /** In all tables together. */
  rows: number
  tables: number
  /** Migrations of this version that it does not have yet: the next start brings them. */
  missing: string[]
}

/** Refuses what is not a whole backup of this version or an earlier one. `shown` is the name that the operator knows. */
export function inspectBackup(file: string, shown: string): BackupFacts {
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(file)
    const verdict = String(database.prepare('pragma integrity_check').get()?.integrity_check)
    if (verdict !== 'ok') throw damaged(shown, verdict)
    if (!hasTable(database, 'tracking_pixels') || !hasTable(database, 'kysely_migration'))
      throw new BackupError(`O arquivo ${shown} é um banco de dados, mas não da Pórtico. Confira o caminho.`)
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
      `O arquivo ${shown} é de uma versão mais nova da Pórtico (${unknown.join(', ')}). Atualize a Pórtico e restaure de novo.`,
    )
  return applied
}

/** Every table is read to its end: what cannot be read is not in the backup. */
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
    `O arquivo ${shown} não é um backup íntegro da Pórtico (${detail.split('\n')[0]}). Copie-o de novo da origem ou use outro backup.`,
  )
}
