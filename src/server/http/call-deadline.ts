import type { FastifyInstance, FastifyRequest } from 'fastify'
import { late } from './refusals.ts'

/** Longer than a wait for a connection and one statement that takes too long; shorter than people and proxies wait. */
const DEADLINE_MS = 14_000

interface Deadline {
  timer: NodeJS.Timeout
  /** Set while the handler runs: rejects what the framework waits for. */
  reject: ((error: Error) => void) | null
}

const deadlines = new WeakMap<FastifyRequest, Deadline>()

/**
 * Every call is answered by its deadline, with 503 if nothing else: a database that takes seconds for each of ten
 * statements breaks no limit of a single one. An answer that has begun, such as a long list, may go on.
 */
export function registerCallDeadline(app: FastifyInstance, deadlineMs = DEADLINE_MS): void {
  app.addHook('onRequest', (request, reply, done) => {
    const timer = setTimeout(() => {
      if (reply.sent || reply.raw.headersSent) return
      const error = late(request, deadlineMs)
      if (deadline.reject !== null) deadline.reject(error)
      else void reply.send(error)
    }, deadlineMs)
    const deadline: Deadline = { timer, reject: null }
    deadlines.set(request, deadline)
    reply.raw.once('close', () => clearTimeout(timer))
    done()
  })
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const result: unknown = handler.call(this, request, reply)
      const deadline = deadlines.get(request)
      if (!(result instanceof Promise) || deadline === undefined) return result
      // What the handler gives after the deadline goes to nobody.
      const { promise, reject } = Promise.withResolvers<never>()
      deadline.reject = reject
      return Promise.race([result, promise])
    }
  })
}

/** For a call that waits for something else than the database, and has a limit of its own for that. */
export function liftCallDeadline(request: FastifyRequest): void {
  clearTimeout(deadlines.get(request)?.timer)
}
