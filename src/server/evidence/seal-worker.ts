import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logger.ts'
import { sealRecords } from './seal-records.ts'

const MINUTE_MS = 60_000
/** Several processes do not all come at the same moment. */
const SPREAD_MS = 5_000

interface SealWorkerDeps {
  db: Db
  log: Pick<Logger, 'warn'>
  /** What must be stored before the records that name it are sealed. */
  before: () => Promise<void>
}

/** Seals after the end of each minute, for as long as the app runs; what could not be sealed waits for the next. */
export class SealWorker {
  readonly #deps: SealWorkerDeps
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> = Promise.resolve()

  constructor(deps: SealWorkerDeps) {
    this.#deps = deps
  }

  start(): void {
    const rest = MINUTE_MS - (Date.now() % MINUTE_MS)
    this.#timer = setTimeout(
      () => {
        this.#running = this.#seal().then(() => {
          if (!this.#closing.signal.aborted) this.start()
        })
      },
      rest + Math.random() * SPREAD_MS,
    )
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    this.#closing.abort()
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#running
  }

  async #seal(): Promise<void> {
    try {
      await this.#deps.before()
      await sealRecords(this.#deps.db, { signal: this.#closing.signal })
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'records of consent were not sealed; the next minute tries again')
    }
  }
}
