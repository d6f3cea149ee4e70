interface Queued {
  isTransaction: boolean
  go: () => void
}

/**
 * Who may write now. While a transaction is open nobody else writes, and whoever came meanwhile goes in the order of
 * arrival. Single writes need not wait for each other: the SQLite thread runs them one by one.
 *
 * * What is sent is sent in the same tick in which the turn is given. A turn that was used a tick later would let a
 * transaction begin in between, and the write would become a part of it.
 */
export class WriteTurn {
  readonly #queue: Queued[] = []
  #taken = false

  /** Sends a single write as soon as it may be sent. */
  write<T>(send: () => Promise<T>): Promise<T> {
    return this.#taken ? this.#wait(false, send) : send()
  }

  /** Sends the beginning of a transaction as soon as it may begin; the turn is its own until `end`. */
  begin<T>(send: () => Promise<T>): Promise<T> {
    if (this.#taken) return this.#wait(true, send)
    this.#taken = true
    return send()
  }

  end(): void {
    this.#taken = false
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      this.#taken = next.isTransaction
      next.go()
      if (next.isTransaction) return
    }
  }

  #wait<T>(isTransaction: boolean, send: () => Promise<T>): Promise<T> {
    return new Promise((resolve) => this.#queue.push({ isTransaction, go: () => resolve(send()) }))
  }
}
