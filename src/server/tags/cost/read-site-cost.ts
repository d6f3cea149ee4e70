import { type SiteCost, TAG_COST_DAYS } from '#contract/tag-cost.ts'
import type { Db } from '#server/db/database.ts'
import { COST_REST_SUBJECT, COST_SUM_SUBJECT } from '../today/count-subject.ts'
import { countVisits, readP75 } from './read-p75.ts'

const DAY_MS = 86_400_000

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
