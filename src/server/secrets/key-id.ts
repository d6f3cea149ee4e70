import { sql } from 'kysely'
import { engineOf } from '../db/column-types.ts'
import type { Db } from '../db/database.ts'

/** The id of the key in force; null before the first one, and in a database of a version that knew none. */
export async function readKeyId(db: Db): Promise<string | null> {
  if (!(await hasKeyTable(db))) return null
  const row = await db.selectFrom('secret_key').select('key_id').executeTakeFirst()
  return row?.key_id ?? null
}

/** The same, and it stays so until the transaction ends. SQLite's transactions exclude one another anyway. */
export async function lockKeyId(trx: Db, mode: 'share' | 'update'): Promise<string | null> {
  const query = trx.selectFrom('secret_key').select('key_id')
  const locking = engineOf(trx) === 'sqlite' ? query : mode === 'share' ? query.forShare() : query.forUpdate()
  return (await locking.executeTakeFirstOrThrow()).key_id
}

export async function storeKeyId(trx: Db, id: string, clearedAt: string | null): Promise<void> {
  await trx.updateTable('secret_key').set({ key_id: id, leftovers_cleared_at: clearedAt }).execute()
}

async function hasKeyTable(db: Db): Promise<boolean> {
  const query =
    engineOf(db) === 'sqlite'
      ? sql<{ there: number }>`select count(*) as there from sqlite_master where name = 'secret_key'`
      : sql<{ there: number }>`select count(to_regclass('secret_key')) as there`
  return Number((await query.execute(db)).rows[0]?.there) > 0
}
