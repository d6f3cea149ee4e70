import { sql } from 'kysely'
import type { Db } from './database.ts'

/** PostgreSQL as it is at one moment, however long the reading takes; nothing can be written in it. */
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
