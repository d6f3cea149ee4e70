import type { Db } from '../db/database.ts'

/** Those whose pixel is still stored: a count of one deleted since is worth nothing, and would fail the whole write. */
export async function ofExistingPixels<Row extends { pixel_id: string }>(
  db: Db,
  rows: readonly Row[],
): Promise<Row[]> {
  const ids = [...new Set(rows.map(({ pixel_id }) => pixel_id))]
  if (ids.length === 0) return []
  const found = await db.selectFrom('tracking_pixels').select('id').where('id', 'in', ids).execute()
  const known = new Set(found.map(({ id }) => id))
  return rows.filter(({ pixel_id }) => known.has(pixel_id))
}
