import type { FastifyInstance } from 'fastify'
import type { KyselyPlugin } from 'kysely'
import { type AppDeps, buildApp } from '#server/app.ts'
import { type Config, parseConfig } from '#server/config.ts'
import { type Database, openDatabase } from '#server/db/database.ts'
import { RateCounter } from '#server/http/limits/counter.ts'
import { createLogger, type Logger } from '#server/http/logging/logger.ts'
import type { ConnectionLimits } from '#server/http/sockets/connections.ts'
import type { Metrics } from '#server/operations/metrics.ts'
import type { Tracing } from '#server/operations/tracing.ts'
import { prepareDatabase } from '#server/secrets/encrypted-database.ts'
import type { SecretBox } from '#server/secrets/secrets.ts'
import { type EngineName, failOnProblem, makeStorage, type Storage } from './engines.ts'
import { freePort } from './free-port.ts'
import { openMigratedCopy } from './migrated-storage.ts'
import { QUICK_WORK } from './quick-work.ts'

export interface TestApp {
  app: FastifyInstance
  config: Config
  database: Database
  secrets: SecretBox
  /** Set if it listens. */
  url: string
  storage: Storage
  /** As if every limit's window had ended, in memory and in the database. */
  forgetLimits(): Promise<void>
  /** Shares the limits' counts now, and reads those of other processes. */
  flushLimits(): Promise<void>
  close(): Promise<void>
}

interface TestAppOptions extends Pick<AppDeps, 'compressPage'> {
  engine?: EngineName
  /** Another process of the same site: shares this app's PostgreSQL, which `close` leaves alone. */
  beside?: TestApp
  env?: Record<string, string>
  /** Listens on a free port; else the app is only called in process. */
  listen?: boolean
  /** Never shed by default. */
  maxEventLoopDelayMs?: number
  connectionLimits?: Partial<ConnectionLimits>
  /** Silent unless a test reads it. */
  log?: Logger
  metrics?: Metrics
  tracing?: Tracing
  /** Sees every statement of the app. */
  plugin?: KyselyPlugin
}

/** Tests run on busy machines, where a server would refuse calls. */
export const NEVER_SHED = { maxEventLoopDelayMs: 600_000 }

/** The account of every test app. */
export const PRINCIPAL = { email: 'principal@portico.example', password: 'ponte-lilas-grafite-58' }

/** The real app on a new database, in this process. */
export async function startTestApp({
  engine = 'sqlite',
  beside,
  env = {},
  listen = false,
  maxEventLoopDelayMs = NEVER_SHED.maxEventLoopDelayMs,
  connectionLimits = {},
  log: ownLog,
  metrics,
  tracing,
  plugin,
  compressPage = QUICK_WORK.compressPage,
}: TestAppOptions = {}): Promise<TestApp> {
  const storage = beside?.storage ?? (await makeStorage(engine, { isMigrated: true }))
  const port = await freePort()
  const config = parseConfig({
    PORT: String(port),
    LOG_LEVEL: 'silent',
    // Only tests of visits count them: others find their own counts alone.
    VISIT_COUNTS: 'off',
    PRINCIPAL_ADMIN_EMAIL: PRINCIPAL.email,
    PRINCIPAL_ADMIN_PASSWORD: PRINCIPAL.password,
    ...storage.env,
    ...env,
  })
  const opened = await (beside === undefined ? openMigratedCopy : openDatabase)({
    ...storage,
    ...(tracing === undefined ? {} : { onStatement: tracing.onStatement }),
  })
  const secrets = await prepareDatabase(config, opened.db, failOnProblem)
  const database = plugin === undefined ? opened : { ...opened, db: opened.db.withPlugin(plugin) }
  const log = ownLog ?? createLogger(config.logLevel)
  const counter = new RateCounter(database.db, log, { flushMs: QUICK_WORK.flushMs })
  const app = await buildApp({
    config,
    database,
    secrets,
    log,
    counter,
    distDir: 'dist',
    maxEventLoopDelayMs,
    connectionLimits,
    ...QUICK_WORK,
    compressPage,
    ...(metrics === undefined ? {} : { metrics }),
    ...(tracing === undefined ? {} : { tracing }),
  })
  if (listen) await app.listen({ host: '127.0.0.1', port })
  return {
    app,
    config,
    database,
    secrets,
    storage,
    url: `http://localhost:${port}`,
    flushLimits: () => counter.flush(),
    forgetLimits: async () => {
      // Pending counts first, or they would come back.
      await counter.flush()
      counter.clear()
      await database.db.deleteFrom('rate_limits').execute()
      await database.db.deleteFrom('rate_windows').execute()
    },
    close: async () => {
      app.server.closeAllConnections()
      await app.close()
      await database.close()
      if (beside === undefined) await storage.remove()
    },
  }
}
