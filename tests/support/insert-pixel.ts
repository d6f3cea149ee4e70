import { randomUUID } from 'node:crypto'
import { DEFAULT_CATEGORY, type Pixel } from '#contract/pixel.ts'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import type { Db } from '#server/db/database.ts'
import { raiseTagsVersion } from '#server/tags/serve/tag-version.ts'

let clock = Date.parse('2026-01-01T00:00:00Z')

/** Inserts a pixel into the database directly, like another process. Each is a second younger than the one before. */
export async function insertPixel(db: Db, pixel: Partial<Pixel> & Pick<Pixel, 'type'>): Promise<string> {
  const id = pixel.id ?? randomUUID()
  const pixel_id = pixel.type === 'custom' ? null : (pixel.pixel_id ?? '123456789012345')
  clock += 1000
  const at = pixel.created_at ?? new Date(clock).toISOString()
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('tracking_pixels')
      .values({
        id,
        name: pixel.name ?? `Pixel ${pixel.type}`,
        type: pixel.type,
        pixel_id,
        code: pixel.code ?? generateSnippet(pixel.type, pixel_id ?? ''),
        is_active: pixel.is_active ?? true,
        allowed_hosts: JSON.stringify(pixel.allowed_hosts ?? []),
        ...(pixel.auto_disable === undefined ? {} : { auto_disable: pixel.auto_disable }),
        ...(pixel.runs_in === undefined ? {} : { runs_in: pixel.runs_in }),
        consent_category: pixel.consent_category ?? DEFAULT_CATEGORY[pixel.type],
        created_at: at,
        updated_at: at,
      })
      .execute()
    await raiseTagsVersion(trx)
  })
  return id
}
