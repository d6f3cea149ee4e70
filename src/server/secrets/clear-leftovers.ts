import { sql } from 'kysely'
import { engineOf } from '../db/column-types.ts'
import type { Db } from '../db/database.ts'

/**
 * An engine frees the space of what was overwritten without erasing it. This rewrites it, once after each sealing: until
 * it has worked, every start tries again.
 */
export async function clearLeftovers(db: Db): Promise<void> {
  const { leftovers_cleared_at } = await db
    .selectFrom('secret_key')
    .select('leftovers_cleared_at')
    .executeTakeFirstOrThrow()
  if (leftovers_cleared_at !== null) return
  if (engineOf(db) === 'sqlite') await rewriteFile(db)
  else await sql`vacuum full auth_factors, app_secrets`.execute(db)
  await db.updateTable('secret_key').set({ leftovers_cleared_at: new Date().toISOString() }).execute()
}

async function rewriteFile(db: Db): Promise<void> {
  await sql`vacuum`.execute(db)
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)
  if (rows[0]?.busy !== 0) throw new Error('another process kept the write-ahead log from being emptied')
}
