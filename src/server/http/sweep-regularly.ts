import type { FastifyInstance } from 'fastify'
import type { Db } from '../db/database.ts'
import { acceptClock, describeClock } from '../db/sweep-clock.ts'

const MINUTE_MS = 60_000
/** The first round comes after a minute: a process that is restarted every few minutes sweeps too. */
const ROUND_MINUTES = 15

/** How many rows went, by table. */
type Removed = Readonly<Record<string, number>>

interface Sweep {
  what: string
  run: (signal: AbortSignal) => Promise<Removed>
}

declare module 'fastify' {
  interface FastifyInstance {
    sweeps: Sweep[]
  }
}

/** Removes what time has made worthless, now and then, for as long as the app runs; a failure waits for the next time. */
export function sweepRegularly(app: FastifyInstance, what: string, run: Sweep['run']): void {
  app.sweeps.push({ what, run })
}

/**
 * The one runner of all sweeps, one after the other. A clock that is not trusted stops them all. A round that is still
 * running when its time comes again goes on alone; one that runs when the app closes is told so.
 */
export function runSweeps(app: FastifyInstance, db: Db, clock?: () => number): void {
  const sweeps: Sweep[] = []
  app.decorate('sweeps', sweeps)
  const closing = new AbortController()
  let running: Promise<void> | null = null
  const runAll = async () => {
    const state = await acceptClock(db, clock)
    const problem = describeClock(state)
    if (problem !== null) {
      const facts = { ...state, now: new Date(state.now), seenAt: new Date(state.seenAt) }
      app.log[state.distrust === null ? 'warn' : 'error'](facts, problem.message)
    }
    if (state.distrust !== null) return
    for (const { what, run } of sweeps) {
      if (closing.signal.aborted) return
      try {
        const removed = await run(closing.signal)
        if (Object.values(removed).some((rows) => rows > 0))
          app.log.info({ sweep: what, removed }, 'rows past their time were removed')
      } catch (error) {
        app.log.warn({ err: error }, `${what} were not swept`)
      }
    }
  }
  let minutes = 0
  const timer = setInterval(() => {
    if (minutes++ % ROUND_MINUTES !== 0) return
    running ??= runAll()
      .catch((error) => app.log.warn({ err: error }, 'nothing was swept: the clock could not be compared'))
      .finally(() => {
        running = null
      })
  }, MINUTE_MS).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    closing.abort()
    await running
  })
}
