import { type CompiledQuery, type Kysely, sql } from 'kysely'
import { engineOf } from './column-types.ts'
import type { Schema } from './schema.ts'

/** A text that differs whenever anything in the database may have changed since; null where that cannot be told. */
export type ReadChangeMark = () => Promise<string | null>

/**
 * SQLite counts the rows that this connection has ever written (`total_changes`, rolled back ones included) and notices
 * what other processes commit (`data_version`): two counters in memory, and together they miss nothing. PostgreSQL has
 * nothing as cheap that sees another session's commit.
 */
export function changeMarkReader(db: Kysely<Schema>): ReadChangeMark {
  if (engineOf(db) !== 'sqlite') return async () => null
  const query = sql<{ own: number; others: number }>`
    select total_changes() as own, data_version as others from pragma_data_version
  `.compile(db) as CompiledQuery<{ own: number; others: number }>
  return async () => {
    const [mark] = (await db.executeQuery(query)).rows
    return mark === undefined ? null : `${mark.own}/${mark.others}`
  }
}
