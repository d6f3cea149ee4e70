import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Db } from '#server/db/database.ts'
import { engineOf } from '#server/db/dialect.ts'

/** Until a statement waits for rows that another one has locked. SQLite has one writer: the others queue for it. */
export async function untilBlocked(db: Db): Promise<void> {
  if (engineOf(db) === 'sqlite') return
  const blocked = sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await blocked.execute(db)).rows).toHaveLength(1)
}
