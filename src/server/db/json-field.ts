import { type RawBuilder, sql } from 'kysely'
import { engineOf } from './column-types.ts'
import type { Db } from './database.ts'

/** One field of a JSON column, as text; SQLite tells booleans as 1 and 0. */
export function jsonField(db: Db, column: string, key: string): RawBuilder<string | number | null> {
  return engineOf(db) === 'sqlite'
    ? sql`json_extract(${sql.ref(column)}, ${`$.${key}`})`
    : sql`${sql.ref(column)} ->> ${sql.lit(key)}`
}

/** Whether two JSON columns hold the same, these fields aside; null where one holds nothing. */
export function sameJson(
  db: Db,
  [one, other]: readonly [string, string],
  aside: readonly string[],
): RawBuilder<boolean | number | null> {
  const rest = (column: string) =>
    engineOf(db) === 'sqlite'
      ? sql`json_remove(${sql.ref(column)}, ${sql.join(aside.map((key) => `$.${key}`))})`
      : sql`${sql.ref(column)} - array[${sql.join(aside.map((key) => sql.lit(key)))}]`
  return sql`${rest(one)} = ${rest(other)}`
}
