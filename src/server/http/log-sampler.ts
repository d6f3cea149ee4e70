import type { Logger } from './logger.ts'

const WINDOW_MS = 10_000
const LINES_PER_WINDOW = 20

interface Sample {
  kind: object
  lines: number
  unlogged: number
}

/**
 * Keeps strangers from filling the disk with log lines. Of each kind of line the first few in a window are written; the
 * rest are counted, and one line tells the count when the window ends.
 */
export class LogSampler {
  readonly #log: Logger
  readonly #samples = new Map<string, Sample>()
  readonly #timer: NodeJS.Timeout

  constructor(log: Logger) {
    this.#log = log
    this.#timer = setInterval(() => this.flush(), WINDOW_MS).unref()
  }

  /**
   * True when this line may be written; else it is counted in one that shows its `kind`. What makes up a key must be
   * ours, such as a route and a status, so that there are few.
   */
  take(key: string, kind: object, lines = LINES_PER_WINDOW): boolean {
    let sample = this.#samples.get(key)
    if (sample === undefined) {
      sample = { kind, lines: 0, unlogged: 0 }
      this.#samples.set(key, sample)
    }
    if (sample.lines < lines) {
      sample.lines++
      return true
    }
    sample.unlogged++
    return false
  }

  /** Ends the window: tells what was counted, and begins anew. */
  flush(): void {
    for (const { kind, unlogged } of this.#samples.values())
      if (unlogged > 0)
        this.#log.info({ ...kind, count: unlogged }, 'more of the same, not logged one by one')
    this.#samples.clear()
  }

  close(): void {
    clearInterval(this.#timer)
    this.flush()
  }
}
