import type { Db } from '../db/database.ts'
import { inSteps } from '../db/in-steps.ts'

const DAY_MS = 86_400_000

/** What ended before the oldest record of consent that is kept explains nothing any more. */
export async function sweepInventory(
  db: Db,
  keptDays: number,
  signal?: AbortSignal,
  now = Date.now(),
): Promise<{ tag_periods: number; script_files: number; served_headers: number }> {
  const before = new Date(now - keptDays * DAY_MS).toISOString()
  const tag_periods = await inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom('tag_periods')
      .where('id', 'in', (eb) =>
        eb.selectFrom('tag_periods').select('id').where('ended_at', '<', before).limit(rows),
      )
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
  const script_files = await inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom('script_files')
      .where('url', 'in', (eb) =>
        eb.selectFrom('script_files').select('url').where('due_at', '<', before).limit(rows),
      )
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
  // The newest says what is served now, however old it is.
  const newest = await db
    .selectFrom('served_headers')
    .select('since')
    .where('since', '<', before)
    .orderBy('since', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (newest === undefined) return { tag_periods, script_files, served_headers: 0 }
  const served_headers = await inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom('served_headers')
      .where('id', 'in', (eb) =>
        eb.selectFrom('served_headers').select('id').where('since', '<', newest.since).limit(rows),
      )
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
  return { tag_periods, script_files, served_headers }
}
