import { TRASH_DAYS } from '#contract/pixel-history.ts'
import type { Db } from '#server/db/database.ts'

const DAY_MS = 86_400_000
/** With each pixel go its counts of a year, by the hour. */
const PIXELS_PER_STEP = 10

/** Deletes for good what has been in the trash for its time, a few at a time. */
export async function sweepTrash(
  db: Db,
  signal?: AbortSignal,
  now = Date.now(),
): Promise<{ tracking_pixels: number }> {
  const upTo = new Date(now - TRASH_DAYS * DAY_MS).toISOString()
  let tracking_pixels = 0
  for (let deleted = PIXELS_PER_STEP; deleted === PIXELS_PER_STEP && signal?.aborted !== true; ) {
    const { numDeletedRows } = await db
      .deleteFrom('tracking_pixels')
      .where('id', 'in', (eb) =>
        eb.selectFrom('tracking_pixels').select('id').where('deleted_at', '<=', upTo).limit(PIXELS_PER_STEP),
      )
      .executeTakeFirstOrThrow()
    deleted = Number(numDeletedRows)
    tracking_pixels += deleted
  }
  return { tracking_pixels }
}
