import { join } from 'node:path'
import { parseArgs } from 'node:util'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { type AppDeps, buildApp } from './app.ts'
import { type Config, ConfigError, parseConfig, readEnvironment } from './config.ts'
import { refuseEmptied } from './db/backup/backup.ts'
import { describeDamage, FileCheck } from './db/backup/file-check.ts'
import { BackupSchedule } from './db/backup/schedule.ts'
import { lockDataDirectory } from './db/data-directory.ts'
import {
  type Database,
  openDatabase,
  prepareDataDirectory,
  SQLITE_FILE,
  whenReachable,
} from './db/database.ts'
import { describeFault, isDamage } from './db/errors.ts'
import { createLogger, type Logger } from './http/logging/logger.ts'
import { closeGracefully, Drain } from './http/sockets/shutdown.ts'
import type { Metrics } from './operations/metrics.ts'
import { findProductionGaps } from './operations/production-gaps.ts'
import type { Tracing } from './operations/tracing.ts'
import { OperatorError } from './operator-error.ts'
import { prepareDatabase } from './secrets/encrypted-database.ts'
import type { SecretBox } from './secrets/secrets.ts'

/** After draining. Less than supervisors wait before they kill: Docker 10 s, systemd 90 s, Kubernetes 30 s. */
const STOP_DEADLINE_MS = 9_000
/** The part that may be spent waiting for an unresponsive database. */
const DATABASE_DEADLINE_MS = 7_000

/** EX_CONFIG of sysexits.h: the unit does not retry such a start. */
const EXIT_CONFIG = 78

const OPTIONS = { 'new-site': { type: 'boolean', default: false }, 'env-file': { type: 'string' } } as const

class StartError extends OperatorError {}

/** Reads the configuration, builds, listens, and shuts down on a signal. */
export async function main(): Promise<void> {
  try {
    await run()
  } catch (error) {
    process.stderr.write(
      error instanceof OperatorError
        ? `${error.message}\n`
        : `Não foi possível iniciar o servidor: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`,
    )
    process.exit(error instanceof ConfigError ? EXIT_CONFIG : 1)
  }
}

async function run(): Promise<void> {
  const options = readOptions()
  const config = parseConfig(readEnvironment(options['env-file']))
  const log = createLogger(config.logLevel)
  // A full disk or a closed reader makes these streams fail; that must not end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const unlock = prepareStorage(config, options['new-site'])
  const watchers = await openWatchers(config)
  const connectionLog = new StartedLog(log)
  const database = open(config, connectionLog, watchers)
  const drain = new Drain(config.drainSeconds)
  const fileCheck = new FileCheck(config.dataDir, log)
  const announced: string[] = []
  const app = await start(config, database, log, {
    ...watchers,
    drain,
    fileDamage: () => fileCheck.problem,
    announce: (text) => announced.push(text),
  })
  connectionLog.hasStarted = true
  // Printed once the dashboard can be reached.
  for (const text of announced) process.stdout.write(text)
  process.stdout.write(
    `${config.site.brandName} no ar em ${config.siteUrl} (painel: ${config.dashboardUrl}/admin)\n`,
  )
  const gaps = findProductionGaps(config)
  if (gaps.length > 0)
    log.warn({ missing: gaps.map(({ message }) => message) }, 'configuration is not ready for production')
  if (database.engine === 'sqlite') void fileCheck.run()
  const backups = startBackups(config, log, fileCheck)
  stopOnSignal(log, config.drainSeconds * 1000 + STOP_DEADLINE_MS, async () => {
    await drain.begin()
    database.closeWithin?.(DATABASE_DEADLINE_MS)
    await closeGracefully(app)
    await backups?.stop()
    await database.close()
    unlock()
  })
}

function readOptions() {
  try {
    return parseArgs({ options: OPTIONS }).values
  } catch {
    throw new StartError('Uso: npm start -- [--new-site] [--env-file ARQUIVO]')
  }
}

function prepareStorage(config: Config, isNewSite: boolean): () => void {
  try {
    prepareDataDirectory(config.dataDir)
  } catch (error) {
    throw new StartError(
      `Não foi possível usar a pasta de dados ${config.dataDir}: ${(error as Error).message}. Confira DATA_DIR e as permissões.`,
    )
  }
  if (config.databaseUrl !== null) return () => {}
  const refusal = isNewSite ? null : refuseEmptied(config)
  if (refusal !== null) throw new StartError(refusal)
  return lockDataDirectory(config.dataDir)
}

interface Watchers {
  metrics: Metrics | null
  tracing: Tracing | null
}

/** Loaded on demand: each is some megabytes. */
async function openWatchers(config: Config): Promise<Watchers> {
  return {
    metrics: config.metrics === null ? null : new (await import('./operations/metrics.ts')).Metrics(),
    tracing:
      config.tracing === null ? null : new (await import('./operations/tracing.ts')).Tracing(config.tracing),
  }
}

async function start(
  config: Config,
  database: Database,
  log: Logger,
  parts: Watchers & Required<Pick<AppDeps, 'drain' | 'fileDamage' | 'announce'>>,
): Promise<FastifyInstance> {
  const secrets = await openSecrets(config, database, log)
  const app = await buildApp({ config, database, secrets, log, distDir: 'dist', ...parts }).catch(
    (error: unknown) => {
      throw describeFault(error) === null ? error : cannotPrepare(config, error)
    },
  )
  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new StartError(
        `A porta ${config.port} já está em uso. Pare o outro programa ou defina outra porta em PORT.`,
      )
    }
    throw new StartError(
      `Não foi possível abrir ${config.host}:${config.port}: ${(error as Error).message}. Confira HOST e PORT.`,
    )
  }
  return app
}

/** A start that fails says why in one line of its own: the lines of the connections begin after it. */
class StartedLog {
  readonly #log: Logger
  hasStarted = false

  constructor(log: Logger) {
    this.#log = log
  }

  warn(details: object, message: string): void {
    if (this.hasStarted) this.#log.warn(details, message)
  }

  info(details: object, message: string): void {
    if (this.hasStarted) this.#log.info(details, message)
  }
}

function open(config: Config, log: StartedLog, { metrics, tracing }: Watchers): Database {
  try {
    return openDatabase({
      dataDir: config.dataDir,
      databaseUrl: config.databaseUrl,
      databasePoolSize: config.databasePoolSize,
      log,
      ...(metrics === null && tracing === null
        ? {}
        : {
            onStatement: (kind, ms, failed) => {
              metrics?.onStatement(kind, ms, failed)
              tracing?.onStatement(kind, ms, failed)
            },
          }),
    })
  } catch (error) {
    throw cannotPrepare(config, error)
  }
}

async function openSecrets(config: Config, database: Database, log: Logger): Promise<SecretBox> {
  const onProblem = (problem: Error) => log.warn({ err: problem }, 'database opened with a problem')
  try {
    return await whenReachable(async () => {
      const secrets = await prepareDatabase(config, database.db, onProblem)
      await database.pinSite?.()
      return secrets
    }, log)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw cannotPrepare(config, error)
  }
}

function startBackups(config: Config, log: Logger, fileCheck: FileCheck): BackupSchedule | null {
  const { everyMs, ...backup } = config.backup
  if (everyMs === null) return null
  const schedule = new BackupSchedule({
    ...backup,
    everyMs,
    dataDir: config.dataDir,
    isIntact: () => fileCheck.run(),
    onMade: (file, { rows, leftBehind }) =>
      log.info({ file, rows, leftBehind }, 'backup completed and verified'),
    onFailed: (error) => log.error({ err: error }, 'backup failed'),
  })
  schedule.start()
  return schedule
}

/** Errors of an engine name neither the file nor the fix. */
function cannotPrepare({ databaseUrl, dataDir }: Config, error: unknown): StartError {
  const { message } = error as Error
  if (databaseUrl === null && isDamage(error))
    return new StartError(describeDamage(join(dataDir, SQLITE_FILE), message))
  const fault = describeFault(error)
  return new StartError(
    `Não foi possível preparar o banco de dados: ${fault === null ? `${message}.` : `${fault.what} (${message}). ${fault.mend}.`} Rode: npm run doctor`,
  )
}

/** The process always ends: when everything is closed, at the deadline, or at the second signal. */
function stopOnSignal(log: Logger, deadlineMs: number, stop: () => Promise<void>): void {
  closeWithGrace(
    {
      delay: deadlineMs,
      logger: log,
      onTimeout: () => log.error(`shutdown exceeded ${deadlineMs} ms: exiting anyway`),
      onSecondSignal: (signal) => log.warn(`second stop signal (${signal}): exiting at once`),
    },
    async ({ err }) => {
      if (err !== undefined) log.fatal({ err }, 'uncaught error: stopping')
      await stop()
      if (err === undefined) endDespiteLookups()
    },
  )
}

/**
 * An unanswered DNS lookup holds a thread, and an exit waits for its threads. So the process replaces itself with one
 * that has none and exits with 0.
 */
function endDespiteLookups(): void {
  if (!process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) return
  process.emit('exit', 0)
  process.execve?.(process.execPath, [process.execPath, '--eval', ''], {})
}
