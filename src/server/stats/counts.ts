import { randomInt } from 'node:crypto'
import { type Compilable, type Expression, sql } from 'kysely'
import { DAY_MS } from '#contract/durations.ts'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { asRepeated } from '../db/engines/sqlite-driver.ts'
import type { Resolution, StatsTables } from '../db/schema/stats.ts'
import { inBatches } from '../db/sweep.ts'
import { pipeline } from '../db/transactions/change.ts'
import type { Logger } from '../http/logging/logger.ts'
import { Buffered } from './buffered.ts'
import {
  daysKept,
  resolutionsOf,
  SERIES,
  SERIES_NAMES,
  type SeriesKeys,
  type SeriesName,
  startOf,
} from './series.ts'

/** Reports can be forged, and the column is an integer: counts stop here. */
const MAX_COUNT = 1_000_000_000

/** More processes than this share rows, which costs time but no counts. */
export const SHARDS = 64

let ownShard = randomInt(SHARDS)

type Row = StatsTables['counts']

export type Count = {
  [Series in SeriesName]: {
    series: Series
    key: SeriesKeys[Series]
    /** A pixel's id; omitted for the whole site. */
    subject?: string
    /** Defaults to now. */
    at?: number
    /** Defaults to 1. Negative values subtract what was counted at that time. */
    by?: number
  }
}[SeriesName]

interface StatsOptions {
  flushMs?: number | undefined
  shard?: number
  /** Other counts are not stored. */
  isRead?: ((count: Count) => boolean) | undefined
}

type Judge = (written: readonly Row[]) => Promise<void>

/**
 * Collects counts in memory and writes them once a second, in every resolution of their series. A killed process loses
 * its last second: counts are not promised to be durable.
 * @example
 * stats.add({ series: 'tag.result', subject: pixelId, key: 'ran' })
 */
export class Stats {
  readonly #db: Db
  readonly #shard: number
  readonly #buffer: Buffered<Row>
  readonly #judges = new Map<SeriesName, Judge>()
  readonly #isRead: (count: Count) => boolean

  constructor(
    db: Db,
    log: Pick<Logger, 'warn'>,
    { flushMs, shard = shardOf(db), isRead = () => true }: StatsOptions = {},
  ) {
    this.#db = db
    this.#shard = shard
    this.#isRead = isRead
    this.#buffer = new Buffered({
      what: 'counts',
      keyOf: rowKey,
      groupOf: ({ series }) => series,
      maxPending: (series) => SERIES[series as SeriesName].maxPending,
      merge: (pending, { count }) => {
        pending.count += count
      },
      write: (rows) => this.#write(rows),
      log,
      flushMs,
    })
  }

  add(count: Count): void {
    if (!this.#isRead(count)) return
    for (const row of toRows(count, this.#shard)) this.#buffer.add(row)
  }

  /** Called with the rows of a series after each write. It must not throw. */
  onWritten(series: SeriesName, judge: Judge): void {
    this.#judges.set(series, judge)
  }

  /** Resolves when everything added before is stored, or could not be. */
  flush(): Promise<void> {
    return this.#buffer.flush()
  }

  stop(): Promise<void> {
    return this.#buffer.stop()
  }

  async #write(rows: readonly Row[]): Promise<void> {
    if (rows.length > 0) await this.#db.executeQuery(insertRows(this.#db, rows).compile())
    for (const [series, judge] of this.#judges) {
      const written = rows.filter((row) => row.series === series)
      if (written.length > 0) await judge(written)
    }
  }
}

/** Counts in the transaction of what is counted: exact, and rolled back with it. */
export async function addCounts(
  trx: Db,
  counts: readonly Count[],
  { shard = shardOf(trx) } = {},
): Promise<void> {
  const sums = new Map<string, Row>()
  for (const row of counts.flatMap((count) => toRows(count, shard))) {
    const sum = sums.get(rowKey(row))
    if (sum === undefined) sums.set(rowKey(row), row)
    else sum.count += row.count
  }
  if (sums.size === 0) return
  // One order everywhere, to avoid deadlocks.
  const rows = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  await pipeline(trx, insertRows(trx, rows))
}

interface Wanted<Series extends SeriesName> {
  series: Series
  resolution: keyof (typeof SERIES)[Series]['kept']
  /**
   * One, or a query of some. Omitted: all. Counts of a subject are stored together, and counts of a time are not: a day
   * of many subjects is read sooner if they are named.
   */
  subject?: string | Expression<string>
  /** Start (inclusive) and end (exclusive). */
  from: number
  to?: number
}

export interface StoredCount<Series extends SeriesName> {
  subject: string
  key: SeriesKeys[Series]
  at: string
  count: number
}

/** Counts by minute, hour or day, summed over all processes. */
export async function readCounts<Series extends SeriesName>(
  db: Db,
  wanted: Wanted<Series>,
): Promise<StoredCount<Series>[]> {
  const rows = await select(db, wanted)
    .select((eb) => ['subject', 'key', 'at', eb.fn.sum<number | string>('count').as('count')])
    .groupBy(['subject', 'key', 'at'])
    .execute()
  return rows.map((row) => ({ ...row, key: row.key as SeriesKeys[Series], count: Number(row.count) }))
}

/** The sums over the whole time. */
export async function sumCounts<Series extends SeriesName>(
  db: Db,
  wanted: Wanted<Series>,
): Promise<Omit<StoredCount<Series>, 'at'>[]> {
  const rows = await select(db, wanted)
    .select((eb) => ['subject', 'key', eb.fn.sum<number | string>('count').as('count')])
    .groupBy(['subject', 'key'])
    .execute()
  return rows.map((row) => ({ ...row, key: row.key as SeriesKeys[Series], count: Number(row.count) }))
}

/** Deletes all counts of a series for a subject. */
export async function forgetCounts(trx: Db, series: SeriesName, subject: string): Promise<void> {
  await trx.deleteFrom('counts').where('series', '=', series).where('subject', '=', subject).execute()
}

/** Deletes counts past the retention of their series. */
export async function sweepCounts(
  db: Db,
  kept: Parameters<typeof daysKept>[1],
  signal?: AbortSignal,
  now = Date.now(),
): Promise<{ counts: number }> {
  let counts = 0
  for (const series of SERIES_NAMES)
    for (const [resolution, days] of resolutionsOf(series)) {
      const before = new Date(now - daysKept(days, kept) * DAY_MS).toISOString()
      counts += await inBatches((rows) => removeSome(db, { series, resolution, before, rows }), signal)
    }
  return { counts }
}

/** The shard of this process. SQLite has one writer, so it needs only one. */
export function shardOf(db: Db): number {
  return engineOf(db) === 'sqlite' ? 0 : ownShard
}

/**
 * Gives this process a shard that no other one of the last 64 starts has. A random one is shared by two of eight
 * processes in every third installation.
 */
export async function drawShard(db: Db): Promise<void> {
  if (engineOf(db) === 'sqlite') return
  const { rows } = await sql<{ shard: number }>`
    select nextval('process_shards') % ${sql.lit(SHARDS)} as shard
  `.execute(db)
  ownShard = rows[0]?.shard ?? ownShard
}

function toRows({ series, subject = '', key, at = Date.now(), by = 1 }: Count, shard: number): Row[] {
  return resolutionsOf(series).map(([resolution]) => ({
    subject,
    series,
    resolution,
    at: writeStart(resolution, startOf(resolution, at)),
    key,
    shard,
    count: by,
  }))
}

/** The same start as a text, for most counts of a second: formatting costs more than everything else here. */
const written = new Map<Resolution, { start: number; text: string }>()

function writeStart(resolution: Resolution, start: number): string {
  const last = written.get(resolution)
  if (last?.start === start) return last.text
  const text = new Date(start).toISOString()
  written.set(resolution, { start, text })
  return text
}

function rowKey({ subject, series, resolution, at, key }: Row): string {
  return `${subject} ${series} ${resolution} ${at} ${key}`
}

/** Adds to the rows, of which there is at least one. SQLite runs one prepared statement for each of them. */
function insertRows(db: Db, rows: readonly Row[]): Compilable {
  if (engineOf(db) === 'postgres') return insertStatement(db, rows)
  const parameters = rows.map(({ subject, series, resolution, at, key, shard, count }) => [
    subject,
    series,
    resolution,
    at,
    key,
    shard,
    count,
  ])
  return { compile: () => asRepeated(insertStatement(db, rows.slice(0, 1)).compile(), parameters) }
}

function insertStatement(db: Db, rows: readonly Row[]) {
  const sum = sql<number>`counts.count + excluded.count`
  return db
    .insertInto('counts')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['subject', 'series', 'resolution', 'at', 'key', 'shard']).doUpdateSet({
        count: sql<number>`case when ${sum} > ${sql.lit(MAX_COUNT)} then ${sql.lit(MAX_COUNT)} else ${sum} end`,
      }),
    )
}

function select<Series extends SeriesName>(
  db: Db,
  { series, resolution, subject, from, to }: Wanted<Series>,
) {
  return db
    .selectFrom('counts')
    .where('series', '=', series)
    .where('resolution', '=', resolution as Resolution)
    .where('at', '>=', new Date(from).toISOString())
    .$if(subject !== undefined, (query) =>
      typeof subject === 'object'
        ? query.where('subject', 'in', subject)
        : query.where('subject', '=', subject ?? ''),
    )
    .$if(to !== undefined, (query) => query.where('at', '<', new Date(to ?? 0).toISOString()))
}

async function removeSome(
  db: Db,
  {
    series,
    resolution,
    before,
    rows,
  }: { series: SeriesName; resolution: Resolution; before: string; rows: number },
): Promise<bigint> {
  const { numDeletedRows } = await db
    .deleteFrom('counts')
    .where('series', '=', series)
    .where('resolution', '=', resolution)
    .where((eb) =>
      eb(
        eb.refTuple('subject', 'at', 'key', 'shard'),
        'in',
        eb
          .selectFrom('counts as old')
          .select(['old.subject', 'old.at', 'old.key', 'old.shard'])
          .where('old.series', '=', series)
          .where('old.resolution', '=', resolution)
          .where('old.at', '<', before)
          .limit(rows)
          .$asTuple('subject', 'at', 'key', 'shard'),
      ),
    )
    .executeTakeFirstOrThrow()
  return numDeletedRows
}
