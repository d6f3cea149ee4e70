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
