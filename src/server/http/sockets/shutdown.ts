import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** What follows (writing counts, sending email, closing the database) must fit into the deadline of `main.ts` too. */
const GRACE_MS = 6_000

const IDLE_CHECK_MS = 50

/** Stops accepting, lets running requests finish, and cuts off the rest. */
export async function closeGracefully(app: FastifyInstance): Promise<void> {
  // A connection that becomes idle after close() began would keep it open until its keep-alive ends.
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS)
  const deadline = setTimeout(() => app.server.closeAllConnections(), GRACE_MS)
  try {
    await app.close()
  } finally {
    clearInterval(idle)
    clearTimeout(deadline)
  }
}

/** Between the stop signal and closing: still serving, but asking proxies to go elsewhere. */
export class Drain {
  readonly #seconds: number
  #begun = false

  constructor(seconds: number) {
    this.#seconds = seconds
  }

  /**
   * From here on `/readyz/serve` and `/readyz` return 503 and each response closes its connection, so that a proxy uses
   * other processes.
   */
  get hasBegun(): boolean {
    return this.#begun
  }

  /** Resolves when monitors have had time to notice. */
  async begin(): Promise<void> {
    this.#begun = true
    if (this.#seconds > 0) await wait(this.#seconds * 1000)
  }
}
