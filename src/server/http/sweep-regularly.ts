import type { FastifyInstance } from 'fastify'

/** A process that is restarted every few minutes sweeps too. */
const FIRST_MS = 60_000
const INTERVAL_MS = 15 * 60_000

/**
 * Removes what time has made worthless, now and then, for as long as the app runs; a failure waits for the next time.
 * A sweep that is still running when its time comes again goes on alone; one that runs when the app closes is told so.
 */
export function sweepRegularly(
  app: FastifyInstance,
  what: string,
  sweep: (signal: AbortSignal) => Promise<void>,
): void {
  const closing = new AbortController()
  let running: Promise<void> | null = null
  const sweepNow = () => {
    running ??= sweep(closing.signal)
      .catch((error) => app.log.warn({ err: error }, `${what} were not swept`))
      .finally(() => {
        running = null
      })
  }
  const timers = [setTimeout(sweepNow, FIRST_MS).unref(), setInterval(sweepNow, INTERVAL_MS).unref()]
  app.addHook('onClose', async () => {
    for (const timer of timers) clearInterval(timer)
    closing.abort()
    await running
  })
}
