import type { FastifyInstance } from 'fastify'

const INTERVAL_MS = 15 * 60_000

/** Removes what time has made worthless, now and then, for as long as the app runs; a failure waits for the next time. */
export function sweepRegularly(app: FastifyInstance, what: string, sweep: () => Promise<void>): void {
  const timer = setInterval(() => {
    sweep().catch((error) => app.log.warn({ err: error }, `${what} were not swept`))
  }, INTERVAL_MS)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
}
