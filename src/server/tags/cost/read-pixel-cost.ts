import { type PixelCost, TAG_COST_DAYS, type TagCost } from '#contract/tag-cost.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/app-error.ts'
import type { TagStore } from '../tag-store.ts'
import { COST_MS, COST_REQUESTS, COST_SUBJECTS } from './note-cost.ts'
import { countVisits, readP75 } from './read-p75.ts'
import { readSiteCost } from './read-site-cost.ts'

const DAY_MS = 86_400_000

/** What one tag, as it is now, cost the visits of the last days that were measured, beside all of them. */
export async function readPixelCost(
  { db, tags }: { db: Db; tags: TagStore },
  pixelId: string,
  now = Date.now(),
): Promise<PixelCost> {
  const [pixel, own, all] = await Promise.all([
    db
      .selectFrom('tracking_pixels')
      .select('id')
      .where('id', '=', pixelId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst(),
    readTagCost(db, pixelId, tags.prepared.get(pixelId)?.revision ?? '', now),
    readSiteCost(db, now),
  ])
  if (pixel === undefined) throw new AppError(404, 'not_found', 'Pixel não encontrado.')
  return { own, all }
}

async function readTagCost(db: Db, pixelId: string, revision: string, now: number): Promise<TagCost | null> {
  const rows = await db
    .selectFrom('tag_evidence')
    .select((eb) => ['subject', 'verdict', eb.fn.sum<number | string>('count').as('count')])
    .where('pixel_id', '=', pixelId)
    .where('hour', '>', new Date(now - TAG_COST_DAYS * DAY_MS).toISOString())
    .where('revision', '=', revision)
    .where('subject', 'in', COST_SUBJECTS)
    .groupBy(['subject', 'verdict'])
    .execute()
  const histogramOf = (name: string) =>
    new Map(
      rows
        .filter(({ subject }) => subject === name)
        .map(({ verdict, count }) => [Number(verdict), Number(count)]),
    )
  const times = histogramOf(COST_MS)
  const ms = readP75(times)
  if (ms === null) return null
  return { visits: countVisits(times), ms, requests: readP75(histogramOf(COST_REQUESTS)) ?? 0 }
}
