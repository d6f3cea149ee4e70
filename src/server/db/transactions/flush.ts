/** How often counts are written, unless whoever starts the app asks for another interval. */
export const FLUSH_MS = 1_000

interface RegularFlushDeps {
  /** What is written, for the log. */
  what: string
  /** Keeps what it could not write, and then throws. */
  write: () => Promise<void>
  log: { warn: (details: object, message: string) => void }
  everyMs?: number | undefined
}

/** Writes what was gathered in memory at a regular interval, one write at a time, and a last time when it is stopped. */
export class RegularFlush {
  readonly #deps: RegularFlushDeps
  readonly #timer: NodeJS.Timeout
  #writing: Promise<void> = Promise.resolve()
  #waiting = false
  #failing = false

  constructor(deps: RegularFlushDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => {
      // A database that does not answer must not make a queue of writes that all say the same.
      if (!this.#waiting) void this.now()
    }, deps.everyMs ?? FLUSH_MS)
    this.#timer.unref()
  }

  /** Resolves when everything that was gathered before the call has been written, or could not be. */
  async now(): Promise<void> {
    this.#waiting = true
    this.#writing = this.#writing.then(() => this.#write())
    await this.#writing
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.now()
  }

  /** Says once that it began to fail: a line a second would fill the log. */
  async #write(): Promise<void> {
    this.#waiting = false
    try {
      await this.#deps.write()
      this.#failing = false
    } catch (error) {
      if (!this.#failing)
        this.#deps.log.warn({ err: error }, `${this.#deps.what} are kept in memory until they can be written`)
      this.#failing = true
    }
  }
}
