import {
  type PixelCost,
  type SiteCost,
  TAG_COST_DAYS,
  TAG_COST_MAX,
  type TagCost,
} from '#contract/tag-cost.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/errors.ts'
import { COST_REST_SUBJECT, COST_SUM_SUBJECT } from '#server/stats/site-counts.ts'
import type { TagStore } from '../serve/tag-store.ts'
import { COST_MS, COST_REQUESTS, COST_SUBJECTS } from '../tag-report.ts'

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

/** What all tags cost the visits of the last days that were measured; null where none was. */
export async function readSiteCost(db: Db, now = Date.now()): Promise<SiteCost | null> {
  const rows = await db
    .selectFrom('site_counts')
    .select((eb) => ['subject', eb.fn.sum<number | string>('count').as('count')])
    .where('slot', '>', new Date(now - TAG_COST_DAYS * DAY_MS).toISOString())
    .where('subject', 'like', 'cost:%')
    .groupBy('subject')
    .execute()
  const histogramOf = (prefix: string) =>
    new Map(
      rows
        .filter(({ subject }) => subject.startsWith(prefix))
        .map(({ subject, count }) => [Number(subject.slice(prefix.length)), Number(count)]),
    )
  const sums = histogramOf(COST_SUM_SUBJECT)
  const ms = readP75(sums)
  if (ms === null) return null
  return {
    visits: countVisits(sums),
    ms,
    unattributed_ms: readP75(histogramOf(COST_REST_SUBJECT)) ?? 0,
  }
}

/** How many visits had each value. */
type Histogram = ReadonlyMap<number, number>

function countVisits(histogram: Histogram): number {
  return [...histogram.values()].reduce((sum, count) => sum + count, 0)
}

/** The value that three quarters of the visits do not exceed, and a quarter reaches; of no visit there is none. */
export function readP75(histogram: Histogram): number | null {
  const rank = Math.ceil(0.75 * countVisits(histogram))
  let passed = 0
  for (const [value, count] of [...histogram].sort(([a], [b]) => a - b)) {
    passed += count
    if (count > 0 && passed >= rank) return value
  }
  return null
}

/** Ten to a decade, about a quarter apart; a browser lists no script under five milliseconds. */
const IN_A_DECADE = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80]

const STEPS = [5, 6, 8]
  .concat([1, 10, 100, 1_000].flatMap((decade) => IN_A_DECADE.map((step) => step * decade)))
  .filter((step) => step <= TAG_COST_MAX)

/** The step of the histogram that a time belongs to, named by its lower end: what is read from it is never too much. */
export function costStep(ms: number): number {
  return STEPS.findLast((step) => step <= ms) ?? 0
}
