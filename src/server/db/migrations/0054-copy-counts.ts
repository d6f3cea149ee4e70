import { type Kysely, sql } from 'kysely'
import { nextSiteDay, startOfSiteDay } from '#contract/site.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** For counts of the former tables. No process counts under it, so that copying again changes nothing. */
const COPIED_SHARD = -1

const ROWS_PER_STATEMENT = 1_000

/** Copies the counts so far. Older processes keep using the former tables: `copyCounts` runs again for them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const now = Date.now()
  const times: number[] = []
  for (const { table, time } of COPIED) {
    const { rows } = await sql<{
      oldest: string | null
    }>`select min(${sql.ref(time)}) as oldest from ${sql.table(table)}`.execute(db)
    times.push(Date.parse(rows[0]?.oldest ?? ''))
  }
  await copyCounts(db, Math.min(now, ...times.filter((time) => !Number.isNaN(time))), now)
}

/**
 * Copies the former tables from the site's day of `since` on. Each row is set, not added to: it can run repeatedly and
 * in several processes.
 */
export async function copyCounts(db: Kysely<unknown>, since: number, now = Date.now()): Promise<void> {
  const seen = new Map<string, LastSeen>()
  for (let day = startOfSiteDay(since); day <= now; day = nextSiteDay(day)) await copyDay(db, day, now, seen)
  await copyLastSeen(db, seen)
}

interface CopiedTable {
  table: string
  time: string
  /** The counts in one row of a former table. */
  read: (row: Record<string, unknown>) => { series: string; subject: string; counts: [string, unknown][] }
}

/** Without `tag_minutes`: the breaker looks back an hour at most and starts again. */
const COPIED: readonly CopiedTable[] = [
  {
    table: 'tag_reports',
    time: 'hour',
    read: ({ pixel_id, ran, blocked, failed, not_consented }) => ({
      series: 'tag.result',
      subject: String(pixel_id),
      counts: [
        ...Object.entries({ ran, blocked, failed }).filter(([, count]) => count !== 0),
        // Also zero: what was copied before may have been subtracted since.
        not_consented === null ? ['refusals_unknown', 1] : ['not_consented', not_consented],
      ],
    }),
  },
  {
    table: 'tag_evidence',
    time: 'hour',
    read: ({ pixel_id, revision, subject, verdict, count }) => ({
      series: String(subject).startsWith('cost_') ? 'tag.cost' : 'tag.seen',
      subject: String(pixel_id),
      counts: [[`${revision} ${subject} ${verdict}`, count]],
    }),
  },
  {
    table: 'site_counts',
    time: 'slot',
    read: ({ subject, count }) => ({
      series: String(subject).startsWith('cost:') ? 'site.cost' : 'site',
      subject: '',
      counts: [[String(subject), count]],
    }),
  },
  {
    table: 'delivery_counts',
    time: 'hour',
    read: ({ pixel_id, state, reason, count }) => ({
      series: 'conversion',
      subject: String(pixel_id),
      counts: [[`${state} ${reason}`, count]],
    }),
  },
]

/** How many days of each series are worth copying; daily ones without a limit. */
const KEPT_DAYS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'tag.result': { hour: 90, day: Number.POSITIVE_INFINITY },
  'tag.seen': { hour: 3 },
  'tag.cost': { hour: 3 },
  site: { ten_minutes: 15, day: Number.POSITIVE_INFINITY },
  'site.cost': { ten_minutes: 3 },
  conversion: { hour: 90, day: Number.POSITIVE_INFINITY },
}

interface CopiedRow {
  subject: string
  series: string
  resolution: string
  at: string
  key: string
  count: number
}

async function copyDay(
  db: Kysely<unknown>,
  day: number,
  now: number,
  seen: Map<string, LastSeen>,
): Promise<void> {
  const from = new Date(day).toISOString()
  const to = new Date(nextSiteDay(day)).toISOString()
  const sums = new Map<string, CopiedRow>()
  for (const { table, time, read } of COPIED) {
    const column = sql.ref(time)
    const { rows } = await sql<
      Record<string, unknown>
    >`select * from ${sql.table(table)} where ${column} >= ${from} and ${column} < ${to}`.execute(db)
    for (const row of rows) {
      const { series, subject, counts } = read(row)
      if (table === 'tag_reports') noteLastSeen(seen, row)
      for (const [resolution, days] of Object.entries(KEPT_DAYS[series] ?? {})) {
        if (day < now - (days + 1) * DAY_MS) continue
        const at = resolution === 'day' ? from : String(row[time])
        for (const [key, count] of counts) {
          const name = [subject, series, resolution, at, key].join()
          const sum = sums.get(name) ?? { subject, series, resolution, at, key, count: 0 }
          sum.count += Number(count)
          sums.set(name, sum)
        }
      }
    }
  }
  // One order everywhere, to avoid deadlocks between processes.
  const rows = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const values = rows
      .slice(start, start + ROWS_PER_STATEMENT)
      .map(
        (row) =>
          sql`(${row.subject}, ${row.series}, ${row.resolution}, ${row.at}, ${row.key}, ${sql.lit(COPIED_SHARD)}, ${row.count})`,
      )
    await sql`insert into counts (subject, series, resolution, at, key, shard, count) values ${sql.join(values)}
      on conflict (subject, series, resolution, at, key, shard) do update set count = excluded.count
      where counts.count <> excluded.count`.execute(db)
  }
}

interface LastSeen {
  last_ran_at: string | null
  last_error_at: string | null
  last_error: string | null
}

function noteLastSeen(seen: Map<string, LastSeen>, row: Record<string, unknown>): void {
  const { pixel_id, hour, last_ran_at, last_error } = row as unknown as LastSeen & {
    pixel_id: string
    hour: string
  }
  const known = seen.get(pixel_id) ?? { last_ran_at: null, last_error_at: null, last_error: null }
  const isNewer = last_error !== null && hour > (known.last_error_at ?? '')
  seen.set(pixel_id, {
    last_ran_at: (last_ran_at ?? '') > (known.last_ran_at ?? '') ? last_ran_at : known.last_ran_at,
    last_error_at: isNewer ? hour : known.last_error_at,
    last_error: isNewer ? last_error : known.last_error,
  })
}

/** Stored values are never replaced by older ones. */
async function copyLastSeen(db: Kysely<unknown>, seen: ReadonlyMap<string, LastSeen>): Promise<void> {
  for (const [pixelId, { last_ran_at, last_error_at, last_error }] of [...seen].sort())
    await sql`insert into tag_last_seen (pixel_id, shard, last_ran_at, last_error_at, last_error)
      values (${pixelId}, ${sql.lit(COPIED_SHARD)}, ${last_ran_at}, ${last_error_at}, ${last_error})
      on conflict (pixel_id, shard) do update set
        last_ran_at = case when tag_last_seen.last_ran_at > excluded.last_ran_at then tag_last_seen.last_ran_at
          else coalesce(excluded.last_ran_at, tag_last_seen.last_ran_at) end,
        last_error_at = case when tag_last_seen.last_error_at > excluded.last_error_at then tag_last_seen.last_error_at
          else coalesce(excluded.last_error_at, tag_last_seen.last_error_at) end,
        last_error = case when tag_last_seen.last_error_at > excluded.last_error_at then tag_last_seen.last_error
          else coalesce(excluded.last_error, tag_last_seen.last_error) end`.execute(db)
}
