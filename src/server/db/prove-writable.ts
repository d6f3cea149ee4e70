import type { Db } from './database.ts'

/** Writes one row for good. Resolves when it is durable, in the file that lies under the database's path. */
export async function proveWritable(db: Db, now = new Date()): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('readiness')
    .set({ proved_at: now.toISOString() })
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw new Error('the database has lost its readiness row')
}
