import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { shed } from '../errors.ts'
import { HEALTH_PATHS } from '../sockets/raw-server.ts'
import { LOAD } from './limits.ts'

/** A call that would wait longer than this should be retried later. */
const SAMPLE_INTERVAL_MS = 1_000
const RESOLUTION_MS = 10

/** While the event loop lags, calls are refused before they are handled; the page is served before the framework. */
export function registerLoadShedding(
  app: FastifyInstance,
  maxEventLoopDelayMs = LOAD.eventLoopDelayMs,
): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let wasLate = false
  let isLagging = false
  let sampledAt = performance.now()
  const timer = setInterval(() => {
    // Without a measurement since the last sample, the loop was blocked for all of that time.
    const now = performance.now()
    const delay = delays.count === 0 ? now - sampledAt : delays.mean / 1e6 - RESOLUTION_MS
    const isLate = delay > maxEventLoopDelayMs
    // A single pause, such as of a machine that stood still, is over when it is measured.
    isLagging = wasLate && isLate
    wasLate = isLate
    sampledAt = now
    delays.reset()
  }, SAMPLE_INTERVAL_MS).unref()
  // The time of the start itself does not count.
  app.addHook('onListen', async () => {
    wasLate = false
    isLagging = false
    sampledAt = performance.now()
    delays.reset()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    delays.disable()
  })
  app.addHook('onRequest', (request, _reply, done) => {
    // A busy process is alive and serves pages: a restart, or a proxy that removes it, would make things worse.
    if (!isLagging || HEALTH_PATHS.has(request.routeOptions.url ?? '')) return done()
    done(shed(request))
  })
}
