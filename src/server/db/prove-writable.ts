import { sql } from 'kysely'
import { engineOf } from './column-types.ts'
import type { Db } from './database.ts'

/** Writes one row for good. Resolves when it is durable, in the file that lies under the database's path. */
export async function proveWritable(db: Db, now = new Date()): Promise<void> {
  if (engineOf(db) === 'postgres') return provePostgresWritable(db)
  const { numUpdatedRows } = await db
    .updateTable('readiness')
    .set({ proved_at: now.toISOString() })
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw new Error(LOST_ROW)
}

const LOST_ROW = 'the database has lost its readiness row'

/**
 * On a full disk PostgreSQL still updates a row within its page, and refuses only what makes a file longer. So about a
 * megabyte is written to a temporary file first: a result that does not fit into `work_mem`. One round trip.
 */
async function provePostgresWritable(db: Db): Promise<void> {
  await sql`do $$ begin
    perform set_config('work_mem', '64kB', true);
    perform count(*) from generate_series(1, 40000);
    update readiness set proved_at = now();
    if not found then raise exception ${sql.lit(LOST_ROW)}; end if;
  end $$`.execute(db)
}
