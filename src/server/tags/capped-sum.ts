import { type RawBuilder, sql } from 'kysely'

/** Reports can be forged, and the columns are integers: a count stops here. */
const MAX_COUNT = 1_000_000_000

/** In an upsert: what is stored and what is added, up to where a count stops. Null plus anything is null. */
export function cappedSum(table: string, column: string): RawBuilder<number> {
  const sum = sql<number>`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`
  return sql<number>`case when ${sum} > ${sql.lit(MAX_COUNT)} then ${sql.lit(MAX_COUNT)} else ${sum} end`
}
