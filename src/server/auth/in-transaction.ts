import type { Db } from '../db/database.ts'

/** PostgreSQL's "deadlock detected" and "could not serialize": it undid everything, and a second try finds the way free. */
const RETRIABLE = ['40P01', '40001']
const ATTEMPTS = 4

/** A transaction of the auth service. `work` may run more than once, so it does nothing but ask the database. */
export async function inTransaction<T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      const code = (error as { code?: unknown }).code
      if (attempt === ATTEMPTS || typeof code !== 'string' || !RETRIABLE.includes(code)) throw error
    }
  }
}
