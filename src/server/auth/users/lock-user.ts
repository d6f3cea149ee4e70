import { engineOf } from '#server/db/column-types.ts'
import type { Db } from '#server/db/database.ts'
import type { UserRow } from './user-object.ts'

/**
 * The row as it is, and as it stays until the transaction ends: what is worked out from it is not written over a change
 * that another made meanwhile. The embedded engine has one writer anyway.
 */
export function lockUser(trx: Db, id: string): Promise<UserRow | undefined> {
  const row = trx.selectFrom('auth_users').selectAll().where('id', '=', id)
  // Not `for update`, for which every new session of this person would wait: its reference needs the key alone.
  return (engineOf(trx) === 'postgres' ? row.forNoKeyUpdate() : row).executeTakeFirst()
}
