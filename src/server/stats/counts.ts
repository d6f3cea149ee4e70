import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import type { Resolution, StatsTables } from '../db/schema/stats.ts'
import { inBatches } from '../db/sweep.ts'
import { post } from '../db/transactions/change.ts'
import type { Logger } from '../http/logging/logger.ts'
import { Buffered } from './buffered.ts'
import { resolutionsOf, SERIES, SERIES_NAMES, type SeriesKeys, type SeriesName, startOf } from './series.ts'

const DAY_MS = 86_400_000

/** Reports can be forged, and the column is an integer: a count stops here. */
const MAX_COUNT = 1_000_000_000

/** More processes than this share rows, which costs them time and no count. */
const SHARDS = 64

const OWN_SHARD = randomInt(SHARDS)

type Row = StatsTables['counts']

export type Count = {
  [Series in SeriesName]: {
    series: Series
    key: SeriesKeys[Series]
    /** A pixel's id; the whole site where there is none. */
    subject?: string
    /** Now, unless it says otherwise. */
    at?: number
    /** 1, unless it says otherwise. Less than none takes back what was counted at that time. */
    by?: number
  }
}[SeriesName]

interface StatsOptions {
  flushMs?: number | undefined
  shard?: number
}

type Judge = (written: readonly Row[]) => Promise<void>

/**
 * Adds counts up in memory and writes them once a second, in every resolution of their series at once. What a process
 * has not written when it is killed is gone: a report is a count, and nobody is promised that it is durable.
 * @example
 * stats.add({ series: 'tag.result', subject: pixelId, key: 'ran' })
 */
export class Stats {
  readonly #db: Db
  readonly #shard: number
  readonly #buffer: Buffered<Row>
  readonly #judges = new Map<SeriesName, Judge>()

  constructor(db: Db, log: Pick<Logger, 'warn'>, { flushMs, shard = shardOf(db) }: StatsOptions = {}) {
    this.#db = db
    this.#shard = shard
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
    for (const row of toRows(count, this.#shard)) this.#buffer.add(row)
  }

  /** Called with the rows of a series after each write of them. Must not throw. */
  onWritten(series: SeriesName, judge: Judge): void {
    this.#judges.set(series, judge)
  }

  /** Resolves when what was added before is stored, or could not be. */
  flush(): Promise<void> {
    return this.#buffer.flush()
  }

  stop(): Promise<void> {
    return this.#buffer.stop()
  }

  async #write(rows: readonly Row[]): Promise<void> {
    await insertRows(this.#db, rows).execute()
    for (const [series, judge] of this.#judges) {
      const written = rows.filter((row) => row.series === series)
      if (written.length > 0) await judge(written)
    }
  }
}

/** Counts in the transaction of what is counted: exact, and gone where that is rolled back. */
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
  // In one order everywhere, so that no two wait for each other.
  const rows = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  await post(trx, insertRows(trx, rows))
}

interface Wanted<Series extends SeriesName> {
  series: Series
  resolution: keyof (typeof SERIES)[Series]['kept']
  /** Of all, where it is left out. */
  subject?: string
  /** The first moment, and the first one after the last. */
  from: number
  to?: number
}

export interface StoredCount<Series extends SeriesName> {
  subject: string
  key: SeriesKeys[Series]
  at: string
  count: number
}

/** What was counted, by minute, hour or day; of all processes together. */
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

/** The same over all of that time. */
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

/** Takes back everything that a series holds of a subject. */
export async function forgetCounts(trx: Db, series: SeriesName, subject: string): Promise<void> {
  await trx.deleteFrom('counts').where('series', '=', series).where('subject', '=', subject).execute()
}

/** Removes what each series no longer keeps. */
export async function sweepCounts(
  db: Db,
  { reportDays }: { readonly reportDays: number },
  signal?: AbortSignal,
  now = Date.now(),
): Promise<{ counts: number }> {
  let counts = 0
  for (const series of SERIES_NAMES)
    for (const [resolution, kept] of resolutionsOf(series)) {
      const before = new Date(now - (kept === 'report' ? reportDays : kept) * DAY_MS).toISOString()
      counts += await inBatches((rows) => removeSome(db, { series, resolution, before, rows }), signal)
    }
  return { counts }
}

/** The row of this process. The embedded database has one writer at a time: there is nothing to share out. */
export function shardOf(db: Db): number {
  return engineOf(db) === 'sqlite' ? 0 : OWN_SHARD
}

function toRows({ series, subject = '', key, at = Date.now(), by = 1 }: Count, shard: number): Row[] {
  return resolutionsOf(series).map(([resolution]) => ({
    subject,
    series,
    resolution,
    at: new Date(startOf(resolution, at)).toISOString(),
    key,
    shard,
    count: by,
  }))
}

function rowKey({ subject, series, resolution, at, key }: Row): string {
  return `${subject} ${series} ${resolution} ${at} ${key}`
}

function insertRows(db: Db, rows: readonly Row[]) {
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
    .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? ''))
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
