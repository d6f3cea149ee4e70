import { type CompiledQuery, type Kysely, sql } from 'kysely'
import { engineOf } from './column-types.ts'
import type { Schema } from './schema.ts'

/** A text that differs whenever anything in the database may have changed since; null where that cannot be told. */
export type ReadChangeMark = () => Promise<string | null>

/**
 * SQLite's reading connection notices what any other one commits, of this process or of another (`data_version`): a
 * counter in memory, and it misses nothing. PostgreSQL has nothing as cheap that sees another session's commit.
 */
export function changeMarkReader(db: Kysely<Schema>): ReadChangeMark {
  if (engineOf(db) !== 'sqlite') return async () => null
  const query = sql<{ mark: number }>`select data_version as mark from pragma_data_version`.compile(
    db,
  ) as CompiledQuery<{ mark: number }>
  return async () => {
    const [row] = (await db.executeQuery(query)).rows
    return row === undefined ? null : String(row.mark)
  }
}
