import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { RegularFlush } from '../db/transactions/flush.ts'
import type { Logger } from '../http/logging/logger.ts'

/** With the few columns of a count, below the parameters that either engine takes in one statement. */
const ROWS_PER_STATEMENT = 1_000

interface KeptCountsOptions<Row> {
  /** What is counted, for the log. */
  what: string
  /** While nothing can be written, so many rows are kept in memory, and no more. */
  most: number
  keyOf: (row: Row) => string
  /** Adds what came later to what is kept. */
  add: (kept: Row, more: Row) => void
  write: (rows: readonly Row[]) => Promise<void>
  log: Pick<Logger, 'warn'>
  flushMs?: number | undefined
}

/**
 * Counts that are added up in memory and written once a second: a visit with 200 tags is one write, not 200. What could
 * not be written is added to the next write. What a process has not written when it is killed is gone: a report is a
 * count, and nobody is told that it is durable.
 */
export class KeptCounts<Row> {
  readonly #options: KeptCountsOptions<Row>
  readonly #flush: RegularFlush
  #kept = new Map<string, Row>()

  constructor(options: KeptCountsOptions<Row>) {
    this.#options = options
    this.#flush = new RegularFlush({
      what: options.what,
      write: () => this.#write(),
      log: options.log,
      everyMs: options.flushMs,
    })
  }

  add(more: Row): void {
    const { keyOf, add, most } = this.#options
    const key = keyOf(more)
    const kept = this.#kept.get(key)
    if (kept !== undefined) add(kept, more)
    else if (this.#kept.size < most) this.#kept.set(key, more)
  }

  flush(): Promise<void> {
    return this.#flush.now()
  }

  stop(): Promise<void> {
    return this.#flush.stop()
  }

  async #write(): Promise<void> {
    // Sorted: two replicas that lock the same rows in different orders would wait for each other.
    const keys = [...this.#kept.keys()].sort()
    for (let from = 0; from < keys.length; from += ROWS_PER_STATEMENT)
      await this.#writeSome(keys.slice(from, from + ROWS_PER_STATEMENT))
  }

  async #writeSome(keys: readonly string[]): Promise<void> {
    const rows = keys.flatMap((key) => this.#kept.get(key) ?? [])
    for (const key of keys) this.#kept.delete(key)
    try {
      await this.#options.write(rows)
    } catch (error) {
      const newer = this.#kept
      this.#kept = new Map()
      for (const row of [...rows, ...newer.values()]) this.add(row)
      throw error
    }
  }
}

/** Reports can be forged, and the columns are integers: a count stops here. */
const MAX_COUNT = 1_000_000_000

/** In an upsert: what is stored and what is added, up to where a count stops. Null plus anything is null. */
export function cappedSum(table: string, column: string): RawBuilder<number> {
  const sum = sql<number>`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`
  return sql<number>`case when ${sum} > ${sql.lit(MAX_COUNT)} then ${sql.lit(MAX_COUNT)} else ${sum} end`
}

/** Those whose pixel is still stored: a count of one deleted since is worth nothing, and would fail the whole write. */
export async function ofExistingPixels<Row extends { pixel_id: string }>(
  db: Db,
  rows: readonly Row[],
): Promise<Row[]> {
  const ids = [...new Set(rows.map(({ pixel_id }) => pixel_id))]
  if (ids.length === 0) return []
  const found = await db.selectFrom('tracking_pixels').select('id').where('id', 'in', ids).execute()
  const known = new Set(found.map(({ id }) => id))
  return rows.filter(({ pixel_id }) => known.has(pixel_id))
}
