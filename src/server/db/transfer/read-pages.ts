import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { TABLE_KEYS, type TableName } from './table-order.ts'

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
