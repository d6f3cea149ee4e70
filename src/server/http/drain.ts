import { setTimeout as wait } from 'node:timers/promises'

/** Between the order to stop and the closing of connections: still serving, but no longer asking for more. */
export class Drain {
  readonly #seconds: number
  #begun = false

  constructor(seconds: number) {
    this.#seconds = seconds
  }

  /** From here on `/readyz/serve` and `/readyz` return 503 and each answer ends its connection, so that a proxy turns to the others. */
  get hasBegun(): boolean {
    return this.#begun
  }

  /** Resolves when whoever watches has had the time to notice. */
  async begin(): Promise<void> {
    this.#begun = true
    if (this.#seconds > 0) await wait(this.#seconds * 1000)
  }
}
