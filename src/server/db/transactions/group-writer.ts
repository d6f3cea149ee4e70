import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { isUnavailable } from '../errors.ts'

/** Rows per statement: it holds the write lock for some milliseconds. */
const MAX_ROWS = 500
/** Statements start at least this far apart: each waits for the disk and wakes the callers. */
const APART_MS = 5
const ANSWERS_PER_TURN = 16

interface Waiting<Row, Result> {
  rows: readonly Row[]
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Stores rows of many callers in one statement. Rows that arrive while one is stored wait for the next, so that the
 * cost per row falls with the load; a single row is stored at once.
 * @example
 * const writer = new GroupWriter((rows: readonly EventRow[]) => insertEvents(db, rows))
 * await writer.write([row])
 */
export class GroupWriter<Row, Result> {
  readonly #store: (rows: readonly Row[]) => Promise<Result>
  #waiting: Waiting<Row, Result>[] = []
  #isWriting = false
  #begunAt = Number.NEGATIVE_INFINITY

  constructor(store: (rows: readonly Row[]) => Promise<Result>) {
    this.#store = store
  }

  /** Resolves when the rows are stored, with the result of their statement. */
  write(rows: readonly Row[]): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#waiting.push({ rows, resolve, reject })
    if (!this.#isWriting) {
      this.#isWriting = true
      void this.#writeAll()
    }
    return promise
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const early = APART_MS - (performance.now() - this.#begunAt)
      // Groups the rows of one turn of the loop, and under load those of some milliseconds.
      if (early > 0) await sleep(early)
      else await nextTurn()
      this.#begunAt = performance.now()
      await this.#writeSome(this.#takeSome())
    }
    this.#isWriting = false
  }

  #takeSome(): Waiting<Row, Result>[] {
    let rows = 0
    const end = this.#waiting.findIndex((each) => {
      rows += each.rows.length
      return rows > MAX_ROWS
    })
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : Math.max(1, end))
  }

  async #writeSome(some: readonly Waiting<Row, Result>[]): Promise<void> {
    try {
      const result = await this.#store(some.flatMap(({ rows }) => rows))
      void answerInTurns(some, result)
    } catch (error) {
      const [only] = some
      if (some.length === 1) only?.reject(error)
      else if (isUnavailable(error)) for (const { reject } of some) reject(error)
      else {
        // A row that cannot be stored, for example of a deleted pixel, is refused alone.
        const middle = Math.ceil(some.length / 2)
        await this.#writeSome(some.slice(0, middle))
        await this.#writeSome(some.slice(middle))
      }
    }
  }
}

/** Answers a few callers per turn of the loop: hundreds become due at once, and other requests must come in between. */
async function answerInTurns<Row, Result>(
  some: readonly Waiting<Row, Result>[],
  result: Result,
): Promise<void> {
  for (const [index, { resolve }] of some.entries()) {
    if (index > 0 && index % ANSWERS_PER_TURN === 0) await nextTurn()
    resolve(result)
  }
}
