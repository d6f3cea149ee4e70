import type { FastifyInstance } from 'fastify'
import { buildApp } from '#server/app.ts'
import { type Config, parseConfig } from '#server/config.ts'
import { type Database, openDatabase } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'
import type { ConnectionLimits } from '#server/http/connection-limits.ts'
import { createLogger, type Logger } from '#server/http/logger.ts'
import { type EngineName, makeStorage } from './engines.ts'
import { freePort } from './free-port.ts'

export interface TestApp {
  app: FastifyInstance
  config: Config
  database: Database
  /** Set when listening was asked for. */
  url: string
  close(): Promise<void>
}

interface TestAppOptions {
  engine?: EngineName
  env?: Record<string, string>
  /** Listens on a free port of this machine; else the app is only called in process. */
  listen?: boolean
  /** Never shed by default: on a busy machine a test is about something else. */
  maxEventLoopDelayMs?: number
  connectionLimits?: Partial<ConnectionLimits>
  /** Silent unless a test reads it. */
  log?: Logger
}

/** The account that every test app starts with. */
export const PRINCIPAL = { email: 'principal@portico.example', password: 'ponte-lilas-grafite-58' }

/** The real app on a fresh database, in this process. */
export async function startTestApp({
  engine = 'sqlite',
  env = {},
  listen = false,
  maxEventLoopDelayMs = 600_000,
  connectionLimits = {},
  log,
}: TestAppOptions = {}): Promise<TestApp> {
  const storage = await makeStorage(engine)
  const port = await freePort()
  const config = parseConfig({
    PORT: String(port),
    DATA_DIR: storage.dataDir,
    LOG_LEVEL: 'silent',
    PRINCIPAL_ADMIN_EMAIL: PRINCIPAL.email,
    PRINCIPAL_ADMIN_PASSWORD: PRINCIPAL.password,
    ...(storage.databaseUrl === null ? {} : { DATABASE_URL: storage.databaseUrl }),
    ...env,
  })
  const database = openDatabase(storage)
  await migrate(database.db)
  const app = await buildApp({
    config,
    database,
    log: log ?? createLogger(config.logLevel),
    distDir: 'dist',
    maxEventLoopDelayMs,
    connectionLimits,
  })
  if (listen) await app.listen({ host: '127.0.0.1', port })
  return {
    app,
    config,
    database,
    url: `http://localhost:${port}`,
    close: async () => {
      app.server.closeAllConnections()
      await app.close()
      await database.close()
      await storage.remove()
    },
  }
}
