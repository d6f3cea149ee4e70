import type { FastifyInstance } from 'fastify'
import type { Db } from '../db/database.ts'
import { proveWritable } from '../db/prove-writable.ts'
import type { Drain } from './drain.ts'
import { Readiness } from './readiness.ts'

/**
 * `/healthz`: the process answers. `/readyz/serve`: it is not about to stop, so a proxy may send it requests; without
 * a database it still serves pages. `/readyz`: the same, and a test write has committed.
 */
export function registerHealth(app: FastifyInstance, db: Db, drain: Pick<Drain, 'hasBegun'>): void {
  const readiness = new Readiness({ prove: () => proveWritable(db) })
  let wasReady = true
  app.get('/healthz', async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  )
  app.get('/readyz/serve', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    if (drain.hasBegun) return reply.code(503).send({ status: 'draining' })
    return reply.send({ status: 'ready' })
  })
  app.get('/readyz', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (drain.hasBegun) return reply.code(503).send({ status: 'draining' })
    try {
      await readiness.check()
      if (!wasReady) request.log.info('the database takes writes again')
      wasReady = true
      return reply.send({ status: 'ready' })
    } catch (error) {
      // A line when it begins: whoever watches asks every few seconds.
      if (wasReady) request.log.warn({ err: error }, 'the database takes no writes')
      wasReady = false
      return reply.code(503).send({ status: 'unavailable' })
    }
  })
}
