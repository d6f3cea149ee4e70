import { createHash } from 'node:crypto'
import type { Db } from '../database.ts'
import { BackupError } from '../errors.ts'
import { MIGRATION_NAMES } from '../migrate.ts'
import { BOOLEAN_COLUMNS, JSON_COLUMNS, TABLE_KEYS, TABLE_NAMES, type TableName } from '../schema/index.ts'
import { change } from '../transactions/change.ts'
import type { Row, TransferFoot, TransferHead } from './export.ts'

/** Tables that a start or migration fills: rows there do not mean that the database is in use. */
const FILLED_BY_ITSELF: ReadonlySet<TableName> = new Set([
  'secret_key',
  'site_state',
  'readiness',
  'consent_notices',
  'consent_parties',
  'consent_tree',
  'served_state',
  'served_headers',
  'rate_limits',
  'rate_windows',
])
/** About twenty parameters per row: below the limit of both engines. */
const ROWS_PER_STATEMENT = 100

interface ImportOptions {
  /** Opens the text again each time: a retried transaction reads it again. */
  lines: () => AsyncIterable<string>
  /** Replaces existing data. */
  force: boolean
  /** Throws to refuse the file. */
  accept: (head: TransferHead) => Promise<void>
}

/** Replaces everything in the (migrated) database with an export, completely or not at all. */
export async function importRows(db: Db, { lines, force, accept }: ImportOptions): Promise<number> {
  return change(db, async (trx) => {
    if (!force) await refuseUsed(trx)
    for (const table of TABLE_NAMES.toReversed()) await trx.deleteFrom(table).execute()
    return new Import(trx, accept).run(lines())
  })
}

class Import {
  readonly #trx: Db
  readonly #accept: ImportOptions['accept']
  readonly #hash = createHash('sha256')
  #table: TableName | null = null
  #waiting: Row[] = []
  #count = 0

  constructor(trx: Db, accept: ImportOptions['accept']) {
    this.#trx = trx
    this.#accept = accept
  }

  async run(lines: AsyncIterable<string>): Promise<number> {
    let head: TransferHead | null = null
    for await (const line of lines) {
      const value = parseLine(line)
      if (head === null) {
        head = readHead(value)
        await this.#accept(head)
      } else if ('table' in value) await this.#enter(String(value.table))
      else if ('row' in value) await this.#add(value.row as Row)
      else return await this.#finish(value as unknown as TransferFoot)
      this.#hash.update(`${line}\n`)
    }
    throw incomplete()
  }

  async #enter(table: string): Promise<void> {
    await this.#flush()
    if (!Object.hasOwn(TABLE_KEYS, table))
      throw new BackupError(
        `O arquivo tem uma tabela que esta versão não conhece: ${table}. Atualize o Pórtico e importe de novo.`,
      )
    this.#table = table as TableName
  }

  async #add(row: Row): Promise<void> {
    this.#waiting.push(row)
    if (this.#waiting.length >= ROWS_PER_STATEMENT) await this.#flush()
  }

  async #finish({ rows, sha256 }: TransferFoot): Promise<number> {
    await this.#flush()
    if (rows !== this.#count || sha256 !== this.#hash.digest('hex')) throw incomplete()
    return this.#count
  }

  async #flush(): Promise<void> {
    const rows = this.#waiting.splice(0).map(toStored)
    if (this.#table === null || rows.length === 0) return
    this.#count += rows.length
    await this.#trx
      .insertInto(this.#table)
      .values(rows as never)
      .execute()
  }
}

/** JSON is written as text on both engines; a boolean is a boolean on both. */
function toStored(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (value === null) return [column, null]
      if (JSON_COLUMNS.has(column)) return [column, JSON.stringify(value)]
      return [column, BOOLEAN_COLUMNS.has(column) ? Boolean(value) : value]
    }),
  )
}

function parseLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    throw incomplete()
  }
}

function readHead(value: Record<string, unknown>): TransferHead {
  const head = value as unknown as TransferHead
  if (head.format !== 'portico-export' || head.version !== 1)
    throw new BackupError('O arquivo não é uma exportação do Pórtico. Confira o caminho.')
  const same =
    head.migrations.length === MIGRATION_NAMES.size &&
    head.migrations.every((name) => MIGRATION_NAMES.has(name))
  if (!same)
    throw new BackupError(
      `O arquivo foi exportado pela versão ${head.release}, que usa outro formato de banco. Exporte e importe com a mesma versão.`,
    )
  return head
}

async function refuseUsed(trx: Db): Promise<void> {
  for (const table of TABLE_NAMES) {
    if (FILLED_BY_ITSELF.has(table)) continue
    const row = await trx.selectFrom(table).selectAll().limit(1).executeTakeFirst()
    if (row !== undefined)
      throw new BackupError(
        `O banco de destino já tem dados (${table}). Nada foi alterado. Use um banco vazio ou rode com --force para substituir tudo.`,
      )
  }
}

function incomplete(): BackupError {
  return new BackupError('O arquivo está incompleto ou foi alterado. Nada foi importado. Exporte de novo.')
}
