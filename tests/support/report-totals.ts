import type { Db } from '#server/db/database.ts'
import { sumCounts } from '#server/stats/counts.ts'
import { readLastSeen } from '#server/tags/health/last-seen.ts'

export interface ReportTotals {
  ran: number
  blocked: number
  failed: number
  last_error: string | null
}

/** Reports of each pixel, over all hours: a new hour may begin between two reports of a test. */
export async function reportTotals(db: Db): Promise<Map<string, ReportTotals>> {
  const totals = new Map<string, ReportTotals>()
  const seen = await readLastSeen(db)
  for (const { subject, key, count } of await sumCounts(db, {
    series: 'tag.result',
    resolution: 'hour',
    from: 0,
  })) {
    const last_error = seen.get(subject)?.last_error ?? null
    const sum = totals.get(subject) ?? { ran: 0, blocked: 0, failed: 0, last_error }
    totals.set(subject, { ...sum, ...(Object.hasOwn(sum, key) ? { [key]: count } : {}) })
  }
  return totals
}
