import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { shed } from '../errors.ts'
import { HEALTH_PATHS } from '../sockets/raw-server.ts'
import { LOAD } from './limits.ts'

/** A call that would wait longer than this for its turn is better made again later. */
const SAMPLE_INTERVAL_MS = 1_000
const RESOLUTION_MS = 10

/**
 * When the event loop lags, calls are refused before they are handled; the page, served before the framework, goes on.
 */
export function registerLoadShedding(
  app: FastifyInstance,
  maxEventLoopDelayMs = LOAD.eventLoopDelayMs,
): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let isLagging = false
  let sampledAt = performance.now()
  const timer = setInterval(() => {
    // Without one measurement since the last sample the loop stood still for all of that time.
    const now = performance.now()
    const delay = delays.count === 0 ? now - sampledAt : delays.mean / 1e6 - RESOLUTION_MS
    isLagging = delay > maxEventLoopDelayMs
    sampledAt = now
    delays.reset()
  }, SAMPLE_INTERVAL_MS).unref()
  // What the start itself took is over: it says nothing about the first calls.
  app.addHook('onListen', async () => {
    isLagging = false
    sampledAt = performance.now()
    delays.reset()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    delays.disable()
  })
  app.addHook('onRequest', (request, _reply, done) => {
    // A busy process is alive and serves pages: a restart, or a proxy that leaves it out, would only make things worse.
    if (!isLagging || HEALTH_PATHS.has(request.routeOptions.url ?? '')) return done()
    done(shed(request))
  })
}
