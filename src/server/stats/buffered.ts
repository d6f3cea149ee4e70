import { RegularFlush } from '../db/transactions/flush.ts'
import type { Logger } from '../http/logging/logger.ts'

/** With a count's few columns, below the parameter limit of both engines. */
const ROWS_PER_STATEMENT = 1_000

interface BufferedOptions<Row> {
  /** Name for the log. */
  what: string
  /** Rows with the same key are merged. */
  keyOf: (row: Row) => string
  groupOf: (row: Row) => string
  /** While nothing can be written, at most this many rows of a group wait in memory. */
  maxPending: (group: string) => number
  /** Adds a later row to a waiting one. */
  merge: (pending: Row, more: Row) => void
  write: (rows: readonly Row[]) => Promise<void>
  log: Pick<Logger, 'warn'>
  flushMs?: number | undefined
}

/** Collects rows in memory and writes them once a second. What could not be written is added to the next write. */
export class Buffered<Row> {
  readonly #options: BufferedOptions<Row>
  readonly #flush: RegularFlush
  #pending = new Map<string, Row>()
  #sizes = new Map<string, number>()

  constructor(options: BufferedOptions<Row>) {
    this.#options = options
    this.#flush = new RegularFlush({
      what: options.what,
      write: () => this.#write(),
      log: options.log,
      everyMs: options.flushMs,
    })
  }

  add(more: Row): void {
    const { keyOf, groupOf, maxPending, merge } = this.#options
    const key = keyOf(more)
    const pending = this.#pending.get(key)
    if (pending !== undefined) {
      merge(pending, more)
      return
    }
    const group = groupOf(more)
    const size = this.#sizes.get(group) ?? 0
    if (size >= maxPending(group)) return
    this.#sizes.set(group, size + 1)
    this.#pending.set(key, more)
  }

  /** Resolves when everything added before is stored, or could not be. */
  flush(): Promise<void> {
    return this.#flush.now()
  }

  stop(): Promise<void> {
    return this.#flush.stop()
  }

  async #write(): Promise<void> {
    // Sorted: two processes that lock the same rows in different orders would deadlock.
    const waiting = [...this.#pending].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
    this.#pending = new Map()
    this.#sizes = new Map()
    while (waiting.length > 0) {
      const rows = waiting.slice(0, ROWS_PER_STATEMENT)
      try {
        await this.#options.write(rows)
      } catch (error) {
        const newer = this.#pending
        this.#pending = new Map()
        this.#sizes = new Map()
        for (const row of [...waiting, ...newer.values()]) this.add(row)
        throw error
      }
      waiting.splice(0, rows.length)
    }
  }
}
