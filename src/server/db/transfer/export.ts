import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { VERSION } from '#server/config.ts'
import type { Db } from '../database.ts'
import { MIGRATION_NAMES } from '../migrate.ts'
import { TABLE_KEYS, TABLE_NAMES, type TableName } from '../schema/index.ts'

/** PostgreSQL as it is at one moment, however long the reading takes; nothing can be written in it. */
export function readSnapshot<T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
      return work(trx)
    })
}

/** Everything that the database keeps, as lines of text. Give it a snapshot: what changes meanwhile would be half there. */
export async function* exportRows(db: Db): AsyncGenerator<string> {
  const hash = createHash('sha256')
  const line = (value: unknown) => {
    const text = `${JSON.stringify(value)}\n`
    hash.update(text)
    return text
  }
  const state = await db.selectFrom('secret_key').select('key_id').executeTakeFirst()
  yield line({
    format: 'portico-export',
    version: 1,
    release: VERSION,
    migrations: [...MIGRATION_NAMES],
    keyId: state?.key_id ?? null,
  } satisfies TransferHead)
  let count = 0
  for (const table of TABLE_NAMES) {
    if (LEFT_BEHIND.has(table)) continue
    yield line({ table })
    for await (const rows of readPages(db, table)) {
      count += rows.length
      yield rows.map((row) => line({ row })).join('')
    }
  }
  const foot: TransferFoot = { rows: count, sha256: hash.digest('hex') }
  yield `${JSON.stringify(foot)}\n`
}

export type Row = Record<string, unknown>

const PAGE = 500

/** All rows of a table in the order of its key, a page at a time: a table may be larger than memory. */
export async function* readPages(db: Db, table: TableName): AsyncGenerator<Row[]> {
  const keys: readonly string[] = TABLE_KEYS[table]
  const order = sql.join(keys.map((key) => sql.ref(key)))
  let last: Row | null = null
  for (;;) {
    const after: Row | null = last
    const from: RawBuilder<unknown> =
      after === null ? sql`` : sql` where (${order}) > (${sql.join(keys.map((key) => sql.val(after[key])))})`
    const { rows }: { rows: Row[] } =
      await sql<Row>`select * from ${sql.table(table)}${from} order by ${order} limit ${sql.lit(PAGE)}`.execute(
        db,
      )
    if (rows.length > 0) yield rows
    if (rows.length < PAGE) return
    last = rows.at(-1) ?? null
  }
}

/** One JSON value on each line: this head, then `{"table": …}` and its rows for each table, then the foot. */
export interface TransferHead {
  format: 'portico-export'
  version: 1
  /** Of the program that wrote it. */
  release: string
  migrations: string[]
  /** The key that its sealed secrets need; the key itself is not in it. */
  keyId: string | null
}

export interface TransferFoot {
  rows: number
  /** Of every byte before this line. */
  sha256: string
}

/** What is in them is about visitors and of no use a week later: no part of an export or a backup. */
export const LEFT_BEHIND: ReadonlySet<TableName> = new Set(['deliveries', 'sign_up_hashes'])

/** What waits to be sent and is not copied. Subscriptions are: they wait in their own table. */
export interface LeftBehind {
  conversions: number
  mails: number
}

export async function countLeftBehind(db: Db): Promise<LeftBehind> {
  const rows = await db
    .selectFrom('deliveries')
    .select(['kind', (eb) => eb.fn.countAll<number>().as('waiting')])
    .groupBy('kind')
    .execute()
  return sumLeftBehind(rows)
}

/** E-mails, and requests for one. */
const MAIL_KINDS: ReadonlySet<string> = new Set(['mail', 'account-mail'])

export function sumLeftBehind(rows: readonly { kind: string; waiting: number }[]): LeftBehind {
  const sum = (counts: (kind: string) => boolean) =>
    rows.filter(({ kind }) => counts(kind)).reduce((total, { waiting }) => total + Number(waiting), 0)
  return {
    conversions: sum((kind) => !MAIL_KINDS.has(kind) && kind !== 'newsletter'),
    mails: sum((kind) => MAIL_KINDS.has(kind)),
  }
}

export function describeLeftBehind({ conversions, mails }: LeftBehind): string {
  if (conversions + mails === 0)
    return 'Nada esperava envio: nenhuma conversão e nenhum e-mail ficaram de fora.'
  const parts = [count(conversions, 'conversão', 'conversões'), count(mails, 'e-mail', 'e-mails')]
  const waiting = parts.filter((part) => part !== null).join(' e ')
  return `Não estão no arquivo, porque ainda esperavam envio: ${waiting}.`
}

function count(number: number, one: string, many: string): string | null {
  return number === 0 ? null : `${number} ${number === 1 ? one : many}`
}
