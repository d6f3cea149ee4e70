import type { Db } from '../db/database.ts'
import { asDynamic, type Column, PRIMARY_KEY, type Row, type Store } from './resource.ts'

/** The store of a resource that is one table and nothing more. */
export function tableStore(table: string, columns: readonly Column[]): Store {
  return {
    async insert(trx: Db, row: Row) {
      await asDynamic(trx).insertInto(table).values(encode(columns, row)).execute()
      return row
    },
    async update(trx: Db, before: Row, after: Row) {
      const changed = columns.filter(({ name }) => !isSame(before[name], after[name]))
      await asDynamic(trx)
        .updateTable(table)
        .set(encode(changed, after))
        .where(PRIMARY_KEY, '=', before[PRIMARY_KEY])
        .execute()
    },
    async remove(trx: Db, before: Row) {
      await asDynamic(trx).deleteFrom(table).where(PRIMARY_KEY, '=', before[PRIMARY_KEY]).execute()
    },
  }
}

/** Values as the engine takes them. */
export function encode(columns: readonly Column[], row: Row): Row {
  return Object.fromEntries(
    columns.map(({ name, type }) => [name, type === 'json' ? JSON.stringify(row[name]) : row[name]]),
  )
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b))
}
