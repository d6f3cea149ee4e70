import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { AppError } from './app-error.ts'

/** A call that would wait longer than this for its turn is better made again later. */
export const MAX_EVENT_LOOP_DELAY_MS = 250
const RETRY_AFTER_SECONDS = 5

/** When the event loop lags, calls are turned away at the door; the page, served before the framework, goes on. */
export async function registerLoadShedding(
  app: FastifyInstance,
  maxEventLoopDelay = MAX_EVENT_LOOP_DELAY_MS,
): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay,
    pressureHandler: (request) => {
      // A busy process is alive: a supervisor that restarts it would only make things worse.
      if (request.url === '/healthz') return
      throw new AppError(503, 'overloaded', 'The server is busy, try again', {
        headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
      })
    },
  })
}
