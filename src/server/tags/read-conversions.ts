import { CONVERSIONS } from '#contract/conversions.ts'
import type { ConversionCount } from '#contract/visit-results.ts'
import type { Db } from '../db/database.ts'

const DAY_MS = 86_400_000
const SUBJECT = 'conversion:'

/** How often the page told the vendor of each conversion in the last 24 hours, whatever the pixel's code was then. */
export async function readConversions(db: Db, pixelId: string, now = Date.now()): Promise<ConversionCount[]> {
  const rows = await db
    .selectFrom('tag_evidence')
    .select((eb) => ['subject', eb.fn.sum<number | string>('count').as('count')])
    .where('pixel_id', '=', pixelId)
    .where('hour', '>', new Date(now - DAY_MS).toISOString())
    .where(
      'subject',
      'in',
      CONVERSIONS.map((name) => SUBJECT + name),
    )
    .groupBy('subject')
    .execute()
  const counts = new Map(rows.map(({ subject, count }) => [subject, Number(count)]))
  return CONVERSIONS.map((conversion) => ({ conversion, count: counts.get(SUBJECT + conversion) ?? 0 }))
}
