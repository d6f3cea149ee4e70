/** How often counts are written, unless the caller sets another interval. */
export const FLUSH_MS = 1_000

interface RegularFlushDeps {
  /** Name for the log. */
  what: string
  /** Keeps what it could not write, then throws. */
  write: () => Promise<void>
  log: { warn: (details: object, message: string) => void }
  everyMs?: number | undefined
}

/** Writes collected data at a regular interval, one write at a time, and once more when it is stopped. */
export class RegularFlush {
  readonly #deps: RegularFlushDeps
  readonly #timer: NodeJS.Timeout
  #writing: Promise<void> = Promise.resolve()
  #waiting = false
  #failing = false

  constructor(deps: RegularFlushDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => {
      // An unresponsive database must not cause a queue of identical writes.
      if (!this.#waiting) void this.now()
    }, deps.everyMs ?? FLUSH_MS)
    this.#timer.unref()
  }

  /** Resolves when everything collected before the call is written, or could not be. */
  async now(): Promise<void> {
    this.#waiting = true
    this.#writing = this.#writing.then(() => this.#write())
    await this.#writing
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.now()
  }

  /** Logs only the first failure: a line per second would fill the log. */
  async #write(): Promise<void> {
    this.#waiting = false
    try {
      await this.#deps.write()
      this.#failing = false
    } catch (error) {
      if (!this.#failing) this.#deps.log.warn({ err: error }, `not written, will retry: ${this.#deps.what}`)
      this.#failing = true
    }
  }
}
