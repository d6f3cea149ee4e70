interface Queued {
  isTransaction: boolean
  go: () => void
}

/**
 * Who may write now. While a transaction is open nobody else writes, and whoever came meanwhile goes in the order of
 * arrival. Single writes need not wait for each other: the SQLite thread runs them one by one.
 */
export class WriteTurn {
  readonly #queue: Queued[] = []
  #taken = false

  /** Resolves when a single write may be sent. */
  async write(): Promise<void> {
    if (this.#taken) await this.#wait(false)
  }

  /** Resolves when a transaction may begin; the turn is its own until `end`. */
  async begin(): Promise<void> {
    if (this.#taken) await this.#wait(true)
    this.#taken = true
  }

  end(): void {
    this.#taken = false
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      // Taken before the waiter runs, so that nobody comes between.
      this.#taken = next.isTransaction
      next.go()
      if (next.isTransaction) return
    }
  }

  #wait(isTransaction: boolean): Promise<void> {
    return new Promise((go) => this.#queue.push({ isTransaction, go }))
  }
}
