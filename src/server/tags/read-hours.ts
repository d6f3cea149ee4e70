import type { TagHour } from '#contract/tag-status.ts'
import type { Db } from '../db/database.ts'

const HOUR_MS = 3_600_000
const HOURS = 24

/** The last 24 hours of one pixel, oldest first, the hours without a visit included. */
export async function readHours(db: Db, pixelId: string, now = Date.now()): Promise<TagHour[]> {
  const current = Math.floor(now / HOUR_MS) * HOUR_MS
  const first = current - (HOURS - 1) * HOUR_MS
  const rows = await db
    .selectFrom('tag_reports')
    .select(['hour', 'ran', 'blocked', 'failed'])
    .where('pixel_id', '=', pixelId)
    .where('hour', '>=', new Date(first).toISOString())
    .execute()
  return Array.from({ length: HOURS }, (_, index) => {
    const hour = new Date(first + index * HOUR_MS).toISOString()
    return rows.find((row) => row.hour === hour) ?? { hour, ran: 0, blocked: 0, failed: 0 }
  })
}
