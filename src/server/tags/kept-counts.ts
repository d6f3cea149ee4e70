import type { Logger } from '../http/logger.ts'
import { RegularFlush } from '../http/regular-flush.ts'

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
