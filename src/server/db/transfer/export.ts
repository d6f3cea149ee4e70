import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { VERSION } from '#server/config.ts'
import type { Db } from '../database.ts'
import { MIGRATION_NAMES } from '../migrate.ts'
import { TABLE_KEYS, TABLE_NAMES, type TableName } from '../schema/index.ts'

/** PostgreSQL at one moment, however long reading takes; read-only. */
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

/** The whole database as lines of text. Pass a snapshot, so that it is consistent. */
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

/** All rows of a table in key order, page by page: a table may be larger than memory. */
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

/** One JSON value per line: this head, then `{"table": …}` and its rows for each table, then the foot. */
export interface TransferHead {
  format: 'portico-export'
  version: 1
  /** Of the program that wrote it. */
  release: string
  migrations: string[]
  /** The key of its encrypted secrets; the key itself is not included. */
  keyId: string | null
}

export interface TransferFoot {
  rows: number
  /** Hash of every byte before this line. */
  sha256: string
}

/**
 * Not part of exports and backups: data of visitors that has no use a week later, and visit codes, because a restored
 * copy would revive those of visitors who have withdrawn their consent since.
 */
export const LEFT_BEHIND: ReadonlySet<TableName> = new Set([
  'deliveries',
  'sign_up_hashes',
  'rate_windows',
  'tag_changes',
  'visit_secrets',
  'visit_keys_even',
  'visit_keys_odd',
  'visit_codes',
])

/** Waiting jobs that are not copied. Subscriptions are: they are in their own table. */
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

/** Alerts to a chat, and questions about events that were sent, count as neither: they are lost after days anyway. */
const UNCOUNTED_KINDS: ReadonlySet<string> = new Set(['newsletter', 'chat', 'confirmation'])

/** Emails, and requests for one. */
const MAIL_KINDS: ReadonlySet<string> = new Set(['mail', 'account-mail'])

export function sumLeftBehind(rows: readonly { kind: string; waiting: number }[]): LeftBehind {
  const sum = (counts: (kind: string) => boolean) =>
    rows.filter(({ kind }) => counts(kind)).reduce((total, { waiting }) => total + Number(waiting), 0)
  return {
    conversions: sum((kind) => !MAIL_KINDS.has(kind) && !UNCOUNTED_KINDS.has(kind)),
    mails: sum((kind) => MAIL_KINDS.has(kind)),
  }
}

export function describeLeftBehind({ conversions, mails }: LeftBehind): string {
  if (conversions + mails === 0)
    return 'A fila de envio estava vazia: nenhuma conversão e nenhum e-mail ficaram de fora.'
  const parts = [count(conversions, 'conversão', 'conversões'), count(mails, 'e-mail', 'e-mails')]
  const waiting = parts.filter((part) => part !== null).join(' e ')
  return `Não estão no arquivo, porque ainda estavam na fila de envio: ${waiting}.`
}

function count(number: number, one: string, many: string): string | null {
  return number === 0 ? null : `${number} ${number === 1 ? one : many}`
}
