import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** What follows (counts to write, mail to send, the database to close) has to fit into the deadline of `main.ts` too. */
const GRACE_MS = 6_000

const IDLE_CHECK_MS = 50

/** Stops accepting, lets running requests finish, and cuts what has not finished in time. */
export async function closeGracefully(app: FastifyInstance): Promise<void> {
  // A connection that falls idle after close() began would hold it open until its keep-alive ends.
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS)
  const deadline = setTimeout(() => app.server.closeAllConnections(), GRACE_MS)
  try {
    await app.close()
  } finally {
    clearInterval(idle)
    clearTimeout(deadline)
  }
}

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
