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
import { type Database, openDatabase, prepareDataDirectory, SQLITE_FILE } from './db/database.ts'
import { describeFault, isDamage } from './db/errors.ts'
import { createLogger, type Logger } from './http/logging/logger.ts'
import { closeGracefully, Drain } from './http/sockets/shutdown.ts'
import type { Metrics } from './operations/metrics.ts'
import { findProductionGaps } from './operations/production-gaps.ts'
import type { Tracing } from './operations/tracing.ts'
import { OperatorError } from './operator-error.ts'
import { prepareDatabase } from './secrets/encrypted-database.ts'
import type { SecretBox } from './secrets/secrets.ts'

/** After draining. Less than what supervisors wait before they kill: Docker 10 s, systemd 90 s, Kubernetes 30 s. */
const STOP_DEADLINE_MS = 9_000
/** Of which so much may be spent waiting for a database that does not answer. */
const DATABASE_DEADLINE_MS = 7_000

/** EX_CONFIG of sysexits.h: the unit does not try such a start again. */
const EXIT_CONFIG = 78

const OPTIONS = { 'new-site': { type: 'boolean', default: false }, 'env-file': { type: 'string' } } as const

class StartError extends OperatorError {}

/** Reads the configuration, builds, listens, and shuts down when told to. */
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
  // A full disk or a reader that has gone makes these streams fail; what they carry is not worth the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const unlock = prepareStorage(config, options['new-site'])
  const watchers = await openWatchers(config)
  const database = open(config, log, watchers)
  const drain = new Drain(config.drainSeconds)
  const fileCheck = new FileCheck(config.dataDir, log)
  const announced: string[] = []
  const app = await start(config, database, log, {
    ...watchers,
    drain,
    fileDamage: () => fileCheck.problem,
    announce: (text) => announced.push(text),
  })
  // Who cannot reach the dashboard has no use for its password.
  for (const text of announced) process.stdout.write(text)
  process.stdout.write(
    `${config.site.brandName} está em ${config.siteUrl} (painel em ${config.dashboardUrl}/admin)\n`,
  )
  const gaps = findProductionGaps(config)
  if (gaps.length > 0)
    log.warn({ missing: gaps.map(({ message }) => message) }, 'not everything is set for production')
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
    throw new StartError(`A pasta de dados ${config.dataDir} não pode ser usada: ${(error as Error).message}`)
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

/** Loaded only when somebody watches: each is some megabytes. */
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
        `A porta ${config.port} já está em uso. Pare o outro programa ou escolha outra em PORT.`,
      )
    }
    throw new StartError(
      `Não foi possível escutar em ${config.host}:${config.port}: ${(error as Error).message}`,
    )
  }
  return app
}

function open(config: Config, log: Logger, { metrics, tracing }: Watchers): Database {
  try {
    return openDatabase({
      dataDir: config.dataDir,
      databaseUrl: config.databaseUrl,
      databasePoolSize: config.databasePoolSize,
      onConnectionLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
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
  const onProblem = (problem: Error) => log.warn({ err: problem }, 'the database can be used, but')
  try {
    const secrets = await prepareDatabase(config, database.db, onProblem)
    await database.pinSite?.()
    return secrets
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
      log.info({ file, rows, leftBehind }, 'a backup was made and checked'),
    onFailed: (error) => log.error({ err: error }, 'the backup could not be made'),
  })
  schedule.start()
  return schedule
}

/** What an engine says names neither the file nor the way out. */
function cannotPrepare({ databaseUrl, dataDir }: Config, error: unknown): StartError {
  const { message } = error as Error
  if (databaseUrl === null && isDamage(error))
    return new StartError(describeDamage(join(dataDir, SQLITE_FILE), message))
  const fault = describeFault(error)
  return new StartError(
    `Não foi possível preparar o banco de dados: ${fault === null ? message : `${fault.what} (${message}). ${fault.mend}.`}`,
  )
}

/** Whatever happens, the process ends: when all is put away, when the time is up, or at once when told twice. */
function stopOnSignal(log: Logger, deadlineMs: number, stop: () => Promise<void>): void {
  closeWithGrace(
    {
      delay: deadlineMs,
      logger: log,
      onTimeout: () => log.error(`not everything was put away within ${deadlineMs} ms; ending all the same`),
      onSecondSignal: (signal) => log.warn(`told twice to stop (${signal}); ending at once`),
    },
    async ({ err }) => {
      if (err !== undefined) log.fatal({ err }, 'an error that nobody caught; stopping')
      await stop()
      if (err === undefined) endDespiteLookups()
    },
  )
}

/**
 * A lookup that a name server does not answer holds a thread, and the end of a process waits for its threads. So the
 * process becomes another one, which has none and ends with 0.
 */
function endDespiteLookups(): void {
  if (!process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) return
  process.emit('exit', 0)
  process.execve?.(process.execPath, [process.execPath, '--eval', ''], {})
}
