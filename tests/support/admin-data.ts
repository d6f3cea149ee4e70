import { randomUUID } from 'node:crypto'
import type { Pixel } from '#contract/pixel.ts'
import type { Db } from '#server/db/database.ts'

/** Rows inserted into the database directly, as the start of a journey. */
export async function insertPixels(db: Db, pixels: Partial<Pixel>[]): Promise<string[]> {
  const start = Date.UTC(2026, 0, 1)
  const rows = pixels.map((pixel, index) => {
    const at = new Date(start + index * 1000).toISOString()
    return {
      id: randomUUID(),
      name: 'Pixel',
      type: 'meta' as const,
      pixel_id: '482910377165024',
      code: '',
      is_active: true,
      consent_category: 'marketing' as const,
      created_at: at,
      updated_at: at,
      ...pixel,
      allowed_hosts: JSON.stringify(pixel.allowed_hosts ?? []),
      conversion_labels: JSON.stringify(pixel.conversion_labels ?? {}),
      event_ids: pixel.event_ids == null ? null : JSON.stringify(pixel.event_ids),
    }
  })
  for (let from = 0; from < rows.length; from += 500) {
    await db
      .insertInto('tracking_pixels')
      .values(rows.slice(from, from + 500))
      .execute()
  }
  return rows.map((row) => row.id)
}

export async function removePixels(db: Db): Promise<void> {
  await db.deleteFrom('tracking_pixels').execute()
}
