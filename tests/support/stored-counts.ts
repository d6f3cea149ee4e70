import type { Db } from '#server/db/database.ts'
import { addCounts, type Count, sumCounts } from '#server/stats/counts.ts'

interface SiteCount {
  slot: string
  subject: string
  count: number
}

/** As if it had been counted in those ten minutes. */
export async function storeSiteCounts(db: Db, counts: readonly SiteCount[]): Promise<void> {
  await addCounts(
    db,
    counts.map(({ slot, subject, count }) => {
      const series = subject.startsWith('cost:') ? 'site.cost' : 'site'
      return { series, key: subject, at: Date.parse(slot), by: count } as Count
    }),
  )
}

interface Report {
  pixel_id: string
  hour: string
  ran?: number
  blocked?: number
  failed?: number
  /** Null if not counted. */
  not_consented?: number | null
}

/** As if these visits had been reported in those hours. */
export async function storeReports(db: Db, reports: readonly Report[]): Promise<void> {
  const counts: Count[] = []
  for (const { pixel_id: subject, hour, not_consented, ...results } of reports) {
    const counted = { series: 'tag.result', subject, at: Date.parse(hour) } as const
    for (const [key, by] of Object.entries(results)) counts.push({ ...counted, key: key as 'ran', by })
    if (not_consented === null) counts.push({ ...counted, key: 'refusals_unknown' })
    else if (not_consented !== undefined) counts.push({ ...counted, key: 'not_consented', by: not_consented })
    if (results.ran !== undefined)
      await db
        .insertInto('tag_last_seen')
        .values({ pixel_id: subject, shard: 0, last_ran_at: hour, last_error_at: null, last_error: null })
        .onConflict((conflict) => conflict.columns(['pixel_id', 'shard']).doUpdateSet({ last_ran_at: hour }))
        .execute()
  }
  await addCounts(db, counts)
}

/** Observations and costs of tags, over all hours. */
export async function storedObservations(
  db: Db,
): Promise<{ pixel_id: string; revision: string; subject: string; verdict: string; count: number }[]> {
  const wanted = { resolution: 'hour', from: 0 } as const
  const rows = [
    ...(await sumCounts(db, { series: 'tag.seen', ...wanted })),
    ...(await sumCounts(db, { series: 'tag.cost', ...wanted })),
  ]
  return rows.map(({ subject: pixel_id, key, count }) => {
    const [revision = '', subject = '', verdict = ''] = key.split(' ')
    return { pixel_id, revision, subject, verdict, count }
  })
}
