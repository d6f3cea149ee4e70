import { sql } from 'kysely'
import { engineOf } from '../db/column-types.ts'
import type { Db } from '../db/database.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'

/** What to say when the leftovers are still there. */
export function leftoversRemain(cause: unknown): Error {
  return new Error(
    `Restos do que estava gravado antes ainda não puderam ser apagados (${(cause as Error).message}); o próximo início tenta de novo.`,
    { cause },
  )
}

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
  else await rewriteTables(db)
  await db.updateTable('secret_key').set({ leftovers_cleared_at: new Date().toISOString() }).execute()
}

/**
 * `vacuum full` would keep the dead rows that some other session might still look at. A column whose type is given anew
 * makes PostgreSQL copy the living rows into a new file and drop the old one.
 */
async function rewriteTables(db: Db): Promise<void> {
  for (const { table, column } of SEALED_COLUMNS) {
    const name = sql.ref(column)
    await sql`alter table ${sql.table(table)} alter column ${name} type text using ${name} || ''`.execute(db)
  }
}

async function rewriteFile(db: Db): Promise<void> {
  await sql`vacuum`.execute(db)
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)
  if (rows[0]?.busy !== 0) throw new Error('another process kept the write-ahead log from being emptied')
}
