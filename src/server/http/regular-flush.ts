const FLUSH_MS = 1_000

/** Writes what was gathered in memory once a second, one write at a time, and a last time when it is stopped. */
export class RegularFlush {
  readonly #write: () => Promise<void>
  readonly #timer: NodeJS.Timeout
  #writing: Promise<void> = Promise.resolve()
  #waiting = false

  /** `write` keeps what it could not write, and never throws. */
  constructor(write: () => Promise<void>) {
    this.#write = write
    this.#timer = setInterval(() => {
      // A database that does not answer must not make a queue of writes that all say the same.
      if (!this.#waiting) void this.now()
    }, FLUSH_MS)
    this.#timer.unref()
  }

  /** Resolves when everything that was gathered before the call has been written, or could not be. */
  async now(): Promise<void> {
    this.#waiting = true
    this.#writing = this.#writing.then(() => {
      this.#waiting = false
      return this.#write()
    })
    await this.#writing
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.now()
  }
}
