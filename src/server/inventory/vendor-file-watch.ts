import type { Logger } from '../http/logger.ts'
import { type CheckDeps, checkVendorFiles } from './check-vendor-files.ts'

/** How often somebody looks whether a day is over; the first time is after one of these. */
const EVERY_MS = 15 * 60_000

/** Looks after vendors' files for as long as the app runs. */
export class VendorFileWatch {
  readonly #deps: CheckDeps
  readonly #log: Pick<Logger, 'warn'>
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null

  constructor(deps: CheckDeps, log: Pick<Logger, 'warn'>) {
    this.#deps = deps
    this.#log = log
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running ??= checkVendorFiles(this.#deps, this.#closing.signal)
        .catch((error) => this.#log.warn({ err: error }, 'vendors’ files could not be looked at'))
        .finally(() => {
          this.#running = null
        })
    }, EVERY_MS)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#closing.abort()
    await this.#running
  }
}
