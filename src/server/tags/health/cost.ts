import { DAY_MS } from '#contract/durations.ts'
import { type PixelCost, type SiteCost, TAG_COST_MAX, type TagCost } from '#contract/tag-cost.ts'
import type { TagResult } from '#contract/tag-report.ts'
import { TAG_COST_DAYS } from '#contract/tag-status.ts'
import { readPixel } from '#server/conversions/read-pixel.ts'
import type { Db } from '#server/db/database.ts'
import { type Stats, sumCounts } from '#server/stats/counts.ts'
import type { PreparedTag } from '../serve/prepare-tag.ts'
import type { TagStore } from '../serve/tag-store.ts'

/** Larger values count as this one, which bounds the number of rows. */
const MAX_REQUESTS = 100

/** Adds the costs of one visit, if it measured them. */
export function countCost(
  stats: Stats,
  results: readonly (readonly [PreparedTag, TagResult])[],
  unattributed: number | undefined,
): void {
  let sum: number | null = null
  for (const [{ tag, revision }, { ms, requests }] of results) {
    if (ms === undefined || requests === undefined) continue
    sum = (sum ?? 0) + ms
    const cost = { series: 'tag.cost', subject: tag.id } as const
    stats.add({ ...cost, key: `${revision} cost_ms ${costStep(ms)}` })
    stats.add({ ...cost, key: `${revision} cost_requests ${Math.min(MAX_REQUESTS, requests)}` })
  }
  if (sum === null || unattributed === undefined) return
  stats.add({ series: 'site.cost', key: `cost:sum:${costStep(Math.min(TAG_COST_MAX, sum))}` })
  stats.add({ series: 'site.cost', key: `cost:rest:${costStep(unattributed)}` })
}

/** Costs of the current revision of one tag in the last days, and of all tags. */
export async function readPixelCost(
  { db, tags }: { db: Db; tags: TagStore },
  pixelId: string,
  now = Date.now(),
): Promise<PixelCost> {
  const [, own, all] = await Promise.all([
    readPixel(db, pixelId, ['id']),
    readTagCost(db, pixelId, tags.prepared.get(pixelId)?.revision ?? '', now),
    readSiteCost(db, now),
  ])
  return { own, all }
}

async function readTagCost(db: Db, pixelId: string, revision: string, now: number): Promise<TagCost | null> {
  const rows = await sumCounts(db, {
    series: 'tag.cost',
    resolution: 'hour',
    subject: pixelId,
    from: now - TAG_COST_DAYS * DAY_MS + 1,
  })
  const times = histogramOf(rows, `${revision} cost_ms `)
  const ms = readP75(times)
  if (ms === null) return null
  return {
    visits: countVisits(times),
    ms,
    requests: readP75(histogramOf(rows, `${revision} cost_requests `)) ?? 0,
  }
}

/** Costs of all tags in the last days; null if none were measured. */
export async function readSiteCost(db: Db, now = Date.now()): Promise<SiteCost | null> {
  const rows = await sumCounts(db, {
    series: 'site.cost',
    resolution: 'ten_minutes',
    from: now - TAG_COST_DAYS * DAY_MS + 1,
  })
  const sums = histogramOf(rows, 'cost:sum:')
  const ms = readP75(sums)
  if (ms === null) return null
  return {
    visits: countVisits(sums),
    ms,
    unattributed_ms: readP75(histogramOf(rows, 'cost:rest:')) ?? 0,
  }
}

/** Number of visits by value. */
type Histogram = ReadonlyMap<number, number>

/** From keys with this prefix; the value is the rest of the key. */
function histogramOf(rows: readonly { key: string; count: number }[], prefix: string): Histogram {
  return new Map(
    rows
      .filter(({ key }) => key.startsWith(prefix))
      .map(({ key, count }) => [Number(key.slice(prefix.length)), count]),
  )
}

function countVisits(histogram: Histogram): number {
  return [...histogram.values()].reduce((sum, count) => sum + count, 0)
}

/** The 75th percentile; null without visits. */
export function readP75(histogram: Histogram): number | null {
  const rank = Math.ceil(0.75 * countVisits(histogram))
  let passed = 0
  for (const [value, count] of [...histogram].sort(([a], [b]) => a - b)) {
    passed += count
    if (count > 0 && passed >= rank) return value
  }
  return null
}

/** Ten steps per decade, about 25 % apart. Browsers list no script below five milliseconds. */
const IN_A_DECADE = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80]

const STEPS = [5, 6, 8]
  .concat([1, 10, 100, 1_000].flatMap((decade) => IN_A_DECADE.map((step) => step * decade)))
  .filter((step) => step <= TAG_COST_MAX)

/** The step of the histogram for a time, named by its lower end, so that a cost is never overstated. */
export function costStep(ms: number): number {
  return STEPS.findLast((step) => step <= ms) ?? 0
}
