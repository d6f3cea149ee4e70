import type { Db } from '#server/db/database.ts'

export interface ReportTotals {
  ran: number
  blocked: number
  failed: number
  last_error: string | null
}

/** What was reported of each pixel, over all hours: the clock may strike one between two reports of a test. */
export async function reportTotals(db: Db): Promise<Map<string, ReportTotals>> {
  const totals = new Map<string, ReportTotals>()
  for (const row of await db.selectFrom('tag_reports').selectAll().orderBy('hour').execute()) {
    const sum = totals.get(row.pixel_id) ?? { ran: 0, blocked: 0, failed: 0, last_error: null }
    totals.set(row.pixel_id, {
      ran: sum.ran + row.ran,
      blocked: sum.blocked + row.blocked,
      failed: sum.failed + row.failed,
      last_error: row.last_error ?? sum.last_error,
    })
  }
  return totals
}
