import { DatabaseUnavailableError } from './database-unavailable-error.ts'

/** A transaction that has had the turn for longer is rolled back as soon as somebody else waits for it. */
const TURN_MS = 4_000
/** Whoever waits for longer is refused; as long as a write waits for the lock of another process. */
const WAIT_MS = 5_000

interface Holder {
  /** Rolls the transaction back and ends its turn. */
  expire: () => void
  isLate: boolean
  timer: NodeJS.Timeout
}

interface Queued {
  /** Of a transaction; null for a single write. */
  expire: (() => void) | null
  go: () => void
}

/**
 * Who may write now. While a transaction is open nobody else writes, and whoever came meanwhile goes in the order of
 * arrival. Single writes need not wait for each other: the SQLite thread runs them one by one.
 *
 * What is sent is sent in the same tick in which the turn is given. A turn that was used a tick later would let a
 * transaction begin in between, and the write would become a part of it.
 */
export class WriteTurn {
  readonly #turnMs: number
  readonly #waitMs: number
  readonly #queue: Queued[] = []
  #holder: Holder | null = null
  /** Single writes without an answer yet: they may share the commit of the transaction that began after them. */
  #unanswered = 0

  constructor({ turnMs = TURN_MS, waitMs = WAIT_MS } = {}) {
    this.#turnMs = turnMs
    this.#waitMs = waitMs
  }

  /** Sends a single write as soon as it may be sent. */
  write<T>(send: () => Promise<T>): Promise<T> {
    const counted = () => {
      this.#unanswered++
      return send().finally(() => this.#unanswered--)
    }
    return this.#holder === null ? counted() : this.#wait(null, counted)
  }

  /**
   * Sends the beginning of a transaction as soon as it may begin; the turn is its own until `end`, or until `expire` is
   * called because it has had it for too long and others wait.
   */
  begin<T>(send: () => Promise<T>, expire: () => void): Promise<T> {
    if (this.#holder !== null) return this.#wait(expire, send)
    this.#give(expire)
    return send()
  }

  end(): void {
    clearTimeout(this.#holder?.timer)
    this.#holder = null
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (next.expire !== null) this.#give(next.expire)
      next.go()
      if (next.expire !== null) return
    }
  }

  #give(expire: () => void): void {
    const timer = setTimeout(() => {
      holder.isLate = true
      if (this.#queue.length > 0 || this.#unanswered > 0) expire()
    }, this.#turnMs).unref()
    const holder: Holder = { expire, isLate: false, timer }
    this.#holder = holder
  }

  #wait<T>(expire: (() => void) | null, send: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const timer = setTimeout(() => {
      this.#queue.splice(this.#queue.indexOf(queued), 1)
      reject(new DatabaseUnavailableError(new Error(`no turn to write within ${this.#waitMs} ms`)))
    }, this.#waitMs)
    const go = () => {
      clearTimeout(timer)
      resolve(send())
    }
    const queued: Queued = { expire, go }
    this.#queue.push(queued)
    if (this.#holder?.isLate) this.#holder.expire()
    return promise
  }
}
