import { engineOf } from './column-types.ts'
import type { Db } from './database.ts'

/**
 * The same query, whose rows nobody else changes until the transaction ends. The embedded engine has one writer at a
 * time, from the first statement of a transaction on, and has no row locks.
 */
export function locked<Query extends { forUpdate(): Query }>(trx: Db, query: Query): Query {
  return engineOf(trx) === 'postgres' ? query.forUpdate() : query
}
