import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND_MS } from '#contract/durations.ts'
import { type AppDeps, buildApp, type DemonstrationSteps } from '../app.ts'
import { openDatabase } from '../db/database.ts'
import { createLogger } from '../http/logging/logger.ts'
import { closeGracefully } from '../http/sockets/shutdown.ts'
import { prepareDatabase } from '../secrets/encrypted-database.ts'
import { demoPixelIds } from './administrators.ts'
import { demoBehaviours, demoConfig, demoWorld, type PastOptions, siteOf } from './past.ts'
import { Random } from './random.ts'
import { Visitors } from './visitors.ts'

/** Pause between two visits while the demo runs. */
const VISIT_EVERY_MS = 25 * SECOND_MS

/** Serves a simulated past and adds visits slowly. Resolves to a function that stops it. */
export async function serveDemo(
  options: PastOptions,
  limits: Pick<AppDeps, 'maxEventLoopDelayMs'> = {},
): Promise<() => Promise<void>> {
  const { seed, until } = options
  const config = demoConfig(options)
  const log = createLogger(config.logLevel)
  const database = openDatabase(config)
  const secrets = await prepareDatabase(config, database.db, (problem) =>
    log.warn({ err: problem }, 'demonstration'),
  )
  let steps: DemonstrationSteps | null = null
  const app = await buildApp({
    config,
    database,
    secrets,
    log,
    distDir: 'dist',
    ...limits,
    demonstration: {
      ...demoWorld(config, log, until),
      isPast: false,
      onBuilt: (built) => {
        steps = built
      },
    },
  })
  await app.listen({ host: config.host, port: config.port })
  const built = steps as DemonstrationSteps | null
  if (built === null) throw new Error('the app was built without its steps')
  const stopping = new AbortController()
  const { signal } = stopping
  const wait = (ms: number) => sleep(Math.max(0, ms), undefined, { signal, ref: false })
  const random = new Random(`${seed} live`)
  const visitors = new Visitors(
    random,
    siteOf(app, built, config.siteUrl, async (at, work) => {
      await wait(at - Date.now())
      return work()
    }),
    demoBehaviours(demoPixelIds(seed), until),
  )
  const trickle = async () => {
    while (!signal.aborted) {
      await wait(random.around(VISIT_EVERY_MS))
      visitors.live(visitors.draw(Date.now())).catch((error) => {
        if (!signal.aborted) log.warn({ err: error }, 'a visit of the demonstration failed')
      })
    }
  }
  trickle().catch(() => {
    // Stopped while it waited.
  })
  return async () => {
    stopping.abort()
    await closeGracefully(app)
    await database.close()
  }
}
