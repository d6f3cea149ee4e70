import { CONVERSIONS } from '#contract/conversions.ts'
import { DAY_MS, HOUR_MS } from '#contract/durations.ts'
import type { HitVerdict, TagOutcome, TagVerdict } from '#contract/tag-report.ts'
import type { TagHour } from '#contract/tag-status.ts'
import type { ConversionCount } from '#contract/visit-results.ts'
import type { Db } from '#server/db/database.ts'
import { readCounts, sumCounts } from '#server/stats/counts.ts'
import type { SeriesKeys } from '#server/stats/series.ts'
import { readLastSeen, reportedTags } from './last-seen.ts'

type Counts<Name extends string> = Partial<Record<Name, number>>

/** What visits of the last 24 hours observed of the current revision of a tag. */
export interface TagObservations {
  visits: Counts<TagOutcome>
  /** `unseen`: not in the timeline of a browser that may miss it. */
  hit: Counts<HitVerdict | 'unseen'>
  /** By source in the tag's policy. */
  hosts: ReadonlyMap<string, Counts<TagVerdict>>
}

export const NO_OBSERVATIONS: TagObservations = { visits: {}, hit: {}, hosts: new Map() }

interface Gathered {
  visits: Counts<string>
  hit: Counts<string>
  hosts: Map<string, Counts<string>>
}

/** By pixel, for the current revision only. */
export async function readObservations(
  db: Db,
  revisions: ReadonlyMap<string, string>,
  now = Date.now(),
): Promise<ReadonlyMap<string, TagObservations>> {
  const rows = await sumCounts(db, {
    series: 'tag.seen',
    resolution: 'hour',
    subject: reportedTags(db),
    from: now - DAY_MS + 1,
  })
  const found = new Map<string, Gathered>()
  for (const { subject: pixelId, key, count } of rows) {
    const { revision, seen, verdict } = readObservation(key)
    if (revisions.get(pixelId) !== revision) continue
    const evidence: Gathered = found.get(pixelId) ?? { visits: {}, hit: {}, hosts: new Map() }
    found.set(pixelId, evidence)
    if (seen === 'visit') evidence.visits[verdict] = count
    else if (seen === 'hit') evidence.hit[verdict] = count
    else if (seen.startsWith(HOST)) {
      const host = seen.slice(HOST.length)
      evidence.hosts.set(host, { ...evidence.hosts.get(host), [verdict]: count })
    }
  }
  return found as ReadonlyMap<string, TagObservations>
}

const HOST = 'host:'

/** Parses a key: neither a revision nor a verdict contains a space. */
function readObservation(key: SeriesKeys['tag.seen']) {
  const [first, last] = [key.indexOf(' '), key.lastIndexOf(' ')]
  return { revision: key.slice(0, first), seen: key.slice(first + 1, last), verdict: key.slice(last + 1) }
}

export interface ReportCounts {
  ran: number
  blocked: number
  failed: number
  /** Over all time. */
  last_ran_at: string | null
  last_error: string | null
}

/** Counts of each pixel that was ever reported, since a time. */
export async function readReportCounts(db: Db, since: string): Promise<ReadonlyMap<string, ReportCounts>> {
  const [seen, results] = await Promise.all([
    readLastSeen(db),
    sumCounts(db, {
      series: 'tag.result',
      resolution: 'hour',
      subject: reportedTags(db),
      from: Date.parse(since) + 1,
    }),
  ])
  const counts = new Map<string, ReportCounts>()
  for (const [pixelId, { last_ran_at, last_error_at, last_error }] of seen) {
    const isRecent = last_error_at !== null && last_error_at > since
    counts.set(pixelId, { ...NO_RESULTS, last_ran_at, last_error: isRecent ? last_error : null })
  }
  for (const { subject, key, count } of results) {
    const known = counts.get(subject)
    if (known !== undefined && isShown(key)) known[key] += count
  }
  return counts
}

const NO_RESULTS = { ran: 0, blocked: 0, failed: 0 }

function isShown(key: SeriesKeys['tag.result']): key is keyof typeof NO_RESULTS {
  return Object.hasOwn(NO_RESULTS, key)
}

const HOURS = 24

/** The last 24 hours of one pixel, oldest first, including hours without a visit. */
export async function readHours(db: Db, pixelId: string, now = Date.now()): Promise<TagHour[]> {
  const current = Math.floor(now / HOUR_MS) * HOUR_MS
  const first = current - (HOURS - 1) * HOUR_MS
  const rows = await readCounts(db, {
    series: 'tag.result',
    resolution: 'hour',
    subject: pixelId,
    from: first,
  })
  const hours = Array.from({ length: HOURS }, (_, index) => ({
    hour: new Date(first + index * HOUR_MS).toISOString(),
    ...NO_RESULTS,
  }))
  const byHour = new Map(hours.map((hour) => [hour.hour, hour]))
  for (const { at, key, count } of rows) {
    const hour = byHour.get(at)
    if (hour !== undefined && isShown(key)) hour[key] += count
  }
  return hours
}

/** How often the page sent each conversion to the vendor in the last 24 hours, for all revisions. */
export async function readConversions(db: Db, pixelId: string, now = Date.now()): Promise<ConversionCount[]> {
  const rows = await sumCounts(db, {
    series: 'tag.seen',
    resolution: 'hour',
    subject: pixelId,
    from: now - DAY_MS + 1,
  })
  return CONVERSIONS.map((conversion) => ({
    conversion,
    count: rows
      .filter(({ key }) => readObservation(key).seen === `conversion:${conversion}`)
      .reduce((sum, { count }) => sum + count, 0),
  }))
}
