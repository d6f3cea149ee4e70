import { setTimeout as sleep } from 'node:timers/promises'

/** One proof serves everybody who asks within this time: the endpoint is public, and a proof waits for the disk. */
const FRESH_MS = 1_000
const DEADLINE_MS = 2_000

export interface ReadinessOptions {
  /** Resolves when the storage has taken a write. */
  prove: () => Promise<void>
  freshMs?: number
  deadlineMs?: number
}

/** Whether a write succeeds now. A proof that hangs is joined, never repeated beside itself. */
export class Readiness {
  readonly #options: Required<ReadinessOptions>
  #running: Promise<void> | null = null
  #provedAt = Number.NEGATIVE_INFINITY

  constructor(options: ReadinessOptions) {
    this.#options = { freshMs: FRESH_MS, deadlineMs: DEADLINE_MS, ...options }
  }

  /** Rejects with the reason. */
  async check(): Promise<void> {
    if (performance.now() - this.#provedAt < this.#options.freshMs) return
    this.#running ??= this.#prove().finally(() => {
      this.#running = null
    })
    const over = new AbortController()
    const deadline = sleep(this.#options.deadlineMs, undefined, { signal: over.signal, ref: false }).then(
      () => Promise.reject(new Error(`no write succeeded within ${this.#options.deadlineMs} ms`)),
      () => {},
    )
    try {
      await Promise.race([this.#running, deadline])
    } finally {
      over.abort()
    }
  }

  async #prove(): Promise<void> {
    await this.#options.prove()
    this.#provedAt = performance.now()
  }
}
