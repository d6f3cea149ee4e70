import type { Db } from '../db/database.ts'

export interface ReportCounts {
  ran: number
  blocked: number
  failed: number
  /** Of all time. */
  last_ran_at: string | null
  last_error: string | null
}

/** What was counted of each pixel that was ever reported on, since a moment. */
export async function readReportCounts(db: Db, since: string): Promise<ReadonlyMap<string, ReportCounts>> {
  const [runs, reports] = await Promise.all([
    readLastRuns(db),
    db.selectFrom('tag_reports').selectAll().where('hour', '>', since).orderBy('hour').execute(),
  ])
  const counts = new Map<string, ReportCounts>(
    runs.map(({ pixel_id, last_ran_at }) => [
      pixel_id,
      { ran: 0, blocked: 0, failed: 0, last_ran_at, last_error: null },
    ]),
  )
  for (const report of reports) {
    const known = counts.get(report.pixel_id)
    if (known === undefined) continue
    known.ran += report.ran
    known.blocked += report.blocked
    known.failed += report.failed
    known.last_error = report.last_error ?? known.last_error
  }
  return counts
}

/** Of every pixel that was ever reported on. One look into the index per pixel: the reports themselves are many. */
function readLastRuns(db: Db): Promise<{ pixel_id: string; last_ran_at: string | null }[]> {
  return db
    .selectFrom('tracking_pixels')
    .select((eb) => [
      'id as pixel_id',
      eb
        .selectFrom('tag_reports')
        .select('tag_reports.last_ran_at')
        .whereRef('tag_reports.pixel_id', '=', 'tracking_pixels.id')
        .where('tag_reports.last_ran_at', 'is not', null)
        // The newest hour in which it ran has the newest time: no other is read.
        .orderBy('tag_reports.hour', 'desc')
        .limit(1)
        .as('last_ran_at'),
    ])
    .where('deleted_at', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('tag_reports')
          .select('tag_reports.hour')
          .whereRef('tag_reports.pixel_id', '=', 'tracking_pixels.id'),
      ),
    )
    .execute()
}
