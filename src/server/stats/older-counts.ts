import { type Kysely, sql } from 'kysely'
import { DAY_MS } from '#contract/durations.ts'
import { TAG_COST_DAYS } from '#contract/tag-status.ts'
import type { Db } from '../db/database.ts'
import { copyCounts } from '../db/migrations/0054-copy-counts.ts'
import { TABLE_KEYS } from '../db/schema/index.ts'
import { inBatches } from '../db/sweep.ts'

/** An older process counts what happens now, and conversions of the last week. */
const OLDER_PROCESS_DAYS = 8

/**
 * Tables of the previous version, and their retention. They and this file are removed in the next release, when no such
 * process can run any more.
 */
const OLDER_TABLES = [
  { table: 'tag_reports', time: 'hour', days: 'report' },
  { table: 'tag_evidence', time: 'hour', days: TAG_COST_DAYS },
  { table: 'tag_minutes', time: 'minute', days: 1 },
  { table: 'site_counts', time: 'slot', days: 'report' },
  { table: 'delivery_counts', time: 'hour', days: 'report' },
] as const

/** Copies what older processes counted since, and deletes what their tables no longer keep. */
export async function sweepOlderCounts(
  db: Db,
  { reportDays }: { readonly reportDays: number },
  signal?: AbortSignal,
  now = Date.now(),
): Promise<Readonly<Record<string, number>>> {
  await copyCounts(db as unknown as Kysely<unknown>, now - OLDER_PROCESS_DAYS * DAY_MS, now)
  const removed: Record<string, number> = {}
  for (const { table, time, days } of OLDER_TABLES) {
    const before = new Date(now - (days === 'report' ? reportDays : days) * DAY_MS).toISOString()
    removed[table] = await inBatches((rows) => removeSome(db, table, time, before, rows), signal)
  }
  return removed
}

async function removeSome(
  db: Db,
  table: (typeof OLDER_TABLES)[number]['table'],
  time: string,
  before: string,
  rows: number,
): Promise<bigint> {
  const key = sql.join(TABLE_KEYS[table].map((column) => sql.ref(column)))
  const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where (${key}) in (
    select ${key} from ${sql.table(table)} where ${sql.ref(time)} < ${before} limit ${sql.lit(rows)})`.execute(
    db,
  )
  return numAffectedRows
}
