import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logger.ts'
import { RegularFlush } from '../http/regular-flush.ts'
import type { LedgerColumn } from './ledger/choose-column.ts'

const HOUR_MS = 3_600_000
/** Reports can be forged, and the column is an integer: a count stops here. */
const MAX_COUNT = 1_000_000_000
/** While nothing can be written, this many pixels and hours are kept in memory, and no more. */
const MAX_KEPT = 10_000
/** Eight parameters each: below what either engine takes in one statement. */
const ROWS_PER_STATEMENT = 1_000

interface Counts {
  pixel_id: string
  hour: string
  ran: number
  blocked: number
  failed: number
  not_consented: number
  last_ran_at: string | null
  last_error: string | null
}

/**
 * Adds reports up in memory and writes them once a second: a visit with 200 tags is one write, not 200. What a process
 * has not written when it is killed is gone: a report is a count, and nobody is told that it is durable.
 */
export class ReportBuffer {
  readonly #db: Db
  readonly #flush: RegularFlush
  #counts = new Map<string, Counts>()

  constructor(db: Db, log: Pick<Logger, 'warn'>) {
    this.#db = db
    this.#flush = new RegularFlush({ what: 'tag reports', write: () => this.#write(), log })
  }

  /** One visit that ran the tag. */
  add(pixelId: string, column: LedgerColumn, error: string | null, now = Date.now()): void {
    this.#merge({
      ...noCounts(pixelId, now),
      [column]: 1,
      last_ran_at: column === 'ran' ? new Date(now).toISOString() : null,
      last_error: error,
    })
  }

  /** Visits in which it was refused; less than none where they were counted before and the visitor has granted it since. */
  addRefusals(pixelId: string, at: string, visits: number): void {
    this.#merge({ ...noCounts(pixelId, Date.parse(at)), not_consented: visits })
  }

  flush(): Promise<void> {
    return this.#flush.now()
  }

  stop(): Promise<void> {
    return this.#flush.stop()
  }

  #merge(more: Counts): void {
    const key = `${more.pixel_id} ${more.hour}`
    const counts = this.#counts.get(key)
    if (counts === undefined) {
      if (this.#counts.size < MAX_KEPT) this.#counts.set(key, more)
      return
    }
    counts.ran += more.ran
    counts.blocked += more.blocked
    counts.failed += more.failed
    counts.not_consented += more.not_consented
    counts.last_ran_at = more.last_ran_at ?? counts.last_ran_at
    counts.last_error = more.last_error ?? counts.last_error
  }

  async #write(): Promise<void> {
    // Sorted: two replicas that lock the same rows in different orders would wait for each other.
    const keys = [...this.#counts.keys()].sort()
    for (let from = 0; from < keys.length; from += ROWS_PER_STATEMENT)
      await this.#writeSome(keys.slice(from, from + ROWS_PER_STATEMENT))
  }

  async #writeSome(keys: readonly string[]): Promise<void> {
    const rows = keys.flatMap((key) => this.#counts.get(key) ?? [])
    for (const key of keys) this.#counts.delete(key)
    try {
      await writeCounts(this.#db, rows)
    } catch (error) {
      const newer = this.#counts
      this.#counts = new Map()
      for (const counts of [...rows, ...newer.values()]) this.#merge(counts)
      throw error
    }
  }
}

function noCounts(pixelId: string, time: number): Counts {
  return {
    pixel_id: pixelId,
    hour: new Date(Math.floor(time / HOUR_MS) * HOUR_MS).toISOString(),
    ran: 0,
    blocked: 0,
    failed: 0,
    not_consented: 0,
    last_ran_at: null,
    last_error: null,
  }
}

async function writeCounts(db: Db, batch: readonly Counts[]): Promise<void> {
  // A pixel deleted since is no longer worth counting, and would fail the whole write.
  const ids = [...new Set(batch.map((counts) => counts.pixel_id))]
  const rows = await db.selectFrom('tracking_pixels').select('id').where('id', 'in', ids).execute()
  const known = new Set(rows.map(({ id }) => id))
  const kept = batch.filter((counts) => known.has(counts.pixel_id))
  if (kept.length === 0) return
  const added = (column: LedgerColumn | 'not_consented') => {
    const sum = sql<number>`${sql.ref(`tag_reports.${column}`)} + ${sql.ref(`excluded.${column}`)}`
    return sql<number>`case when ${sum} > ${sql.lit(MAX_COUNT)} then ${sql.lit(MAX_COUNT)} else ${sum} end`
  }
  await db
    .insertInto('tag_reports')
    .values(kept)
    .onConflict((conflict) =>
      conflict.columns(['pixel_id', 'hour']).doUpdateSet({
        ran: added('ran'),
        blocked: added('blocked'),
        failed: added('failed'),
        // Null plus anything is null: an hour that was counted in part is not told.
        not_consented: added('not_consented'),
        last_ran_at: sql`coalesce(excluded.last_ran_at, tag_reports.last_ran_at)`,
        last_error: sql`coalesce(excluded.last_error, tag_reports.last_error)`,
      }),
    )
    .execute()
}
