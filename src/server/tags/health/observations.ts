import { CONVERSIONS } from '#contract/conversions.ts'
import type { HitVerdict, TagOutcome, TagVerdict } from '#contract/tag-report.ts'
import type { TagHour } from '#contract/tag-status.ts'
import type { ConversionCount } from '#contract/visit-results.ts'
import type { Db } from '#server/db/database.ts'
import { COST_SUBJECTS } from '../tag-report.ts'

type Counts<Name extends string> = Partial<Record<Name, number>>

/** What the visits of the last 24 hours showed of one tag as it is now. */
export interface TagEvidence {
  visits: Counts<TagOutcome>
  /** `unseen`: not in the timeline of a browser that may miss it. */
  hit: Counts<HitVerdict | 'unseen'>
  /** By source of the tag's policy. */
  hosts: ReadonlyMap<string, Counts<TagVerdict>>
}

export const NO_EVIDENCE: TagEvidence = { visits: {}, hit: {}, hosts: new Map() }

const DAY_MS = 86_400_000

interface Gathered {
  visits: Counts<string>
  hit: Counts<string>
  hosts: Map<string, Counts<string>>
}

/** By pixel; only of those whose revision is the one of now. */
export async function readEvidence(
  db: Db,
  revisions: ReadonlyMap<string, string>,
  now = Date.now(),
): Promise<ReadonlyMap<string, TagEvidence>> {
  const rows = await db
    .selectFrom('tag_evidence')
    .select((eb) => [
      'pixel_id',
      'revision',
      'subject',
      'verdict',
      eb.fn.sum<number | string>('count').as('count'),
    ])
    .where('hour', '>', new Date(now - DAY_MS).toISOString())
    .where('subject', 'not in', COST_SUBJECTS)
    .groupBy(['pixel_id', 'revision', 'subject', 'verdict'])
    .execute()
  const found = new Map<string, Gathered>()
  for (const { pixel_id, revision, subject, verdict, count } of rows) {
    if (revisions.get(pixel_id) !== revision) continue
    const evidence: Gathered = found.get(pixel_id) ?? { visits: {}, hit: {}, hosts: new Map() }
    found.set(pixel_id, evidence)
    if (subject === 'visit') evidence.visits[verdict] = Number(count)
    else if (subject === 'hit') evidence.hit[verdict] = Number(count)
    else if (subject.startsWith(HOST_SUBJECT)) {
      const host = subject.slice(HOST_SUBJECT.length)
      evidence.hosts.set(host, { ...evidence.hosts.get(host), [verdict]: Number(count) })
    }
  }
  return found as ReadonlyMap<string, TagEvidence>
}

export const HOST_SUBJECT = 'host:'

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

const HOUR_MS = 3_600_000

const HOURS = 24

/** The last 24 hours of one pixel, oldest first, the hours without a visit included. */
export async function readHours(db: Db, pixelId: string, now = Date.now()): Promise<TagHour[]> {
  const current = Math.floor(now / HOUR_MS) * HOUR_MS
  const first = current - (HOURS - 1) * HOUR_MS
  const rows = await db
    .selectFrom('tag_reports')
    .select(['hour', 'ran', 'blocked', 'failed'])
    .where('pixel_id', '=', pixelId)
    .where('hour', '>=', new Date(first).toISOString())
    .execute()
  return Array.from({ length: HOURS }, (_, index) => {
    const hour = new Date(first + index * HOUR_MS).toISOString()
    return rows.find((row) => row.hour === hour) ?? { hour, ran: 0, blocked: 0, failed: 0 }
  })
}

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
