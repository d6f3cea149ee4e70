import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { MINUTE_MS } from '#contract/durations.ts'
import { makeFolder, makeFolderOwnerOnly, makeOwnerOnly, touchOwnerOnly } from './data-directory.ts'
import type { Engine, OnStatement } from './dialect.ts'
import { openPostgres } from './engines/postgres.ts'
import type { ConnectionLog } from './engines/postgres-pool.ts'
import { openSqlite, type SqliteOptions } from './engines/sqlite.ts'
import { describeWait } from './errors.ts'
import type { Schema } from './schema/index.ts'

export const SQLITE_FILE = 'portico.db'

const DEFAULT_POOL_SIZE = 10

export type Db = Kysely<Schema>

export interface Database {
  readonly db: Db
  readonly engine: Engine
  /** PostgreSQL: after the start, other data at the same address counts as unavailable. */
  pinSite?(): Promise<void>
  /** PostgreSQL: how long a stopping process waits for an unresponsive database. */
  closeWithin?(ms: number): void
  close(): Promise<void>
}

export interface DatabaseOptions {
  dataDir: string
  databaseUrl: string | null
  /** Maximum number of PostgreSQL connections of this process. */
  databasePoolSize?: number
  /** Gets a line when PostgreSQL becomes unreachable, and one when it is back. */
  log?: ConnectionLog
  /** Called with the duration of each statement in milliseconds; nothing is measured without it. */
  onStatement?: OnStatement
  /** SQLite: runs statements elsewhere than on a thread of their own. */
  executeSqlite?: SqliteOptions['execute']
}

export function openDatabase(options: DatabaseOptions): Database {
  if (options.databaseUrl !== null) {
    const { db, ...postgres } = openPostgres({
      url: options.databaseUrl,
      poolSize: options.databasePoolSize ?? DEFAULT_POOL_SIZE,
      log: options.log,
      onStatement: options.onStatement,
    })
    return { db, engine: 'postgres', ...postgres, close: () => db.destroy() }
  }
  const file = join(prepareDataDirectory(options.dataDir), SQLITE_FILE)
  // SQLite gives the files beside the database the same mode.
  touchOwnerOnly(file)
  const db = openSqlite(file, { onStatement: options.onStatement, execute: options.executeSqlite })
  return { db, engine: 'sqlite', close: () => db.destroy() }
}

/** A start that waits logs it this often. */
const WAITING_LINE_MS = MINUTE_MS
const LOOK_AGAIN_MS = 1_000

/** Does the first work of a start. PostgreSQL that is full, starting or silent is waited for, and the log says so. */
export async function whenReachable<T>(
  work: () => Promise<T>,
  log: ConnectionLog,
  lookAgainMs = LOOK_AGAIN_MS,
): Promise<T> {
  let loggedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const reason = describeWait(error)
      if (reason === null) throw error
      if (performance.now() - loggedAt >= WAITING_LINE_MS) {
        loggedAt = performance.now()
        log.warn({ reason: (error as Error).message }, `start: waiting for the database, ${reason}`)
      }
      await wait(lookAgainMs * (0.5 + Math.random()))
    }
  }
}

/** Our files. Others are left alone: the folder may contain other things. */
const OWN_FILES = [
  ...['', '-wal', '-shm', '-journal', '.incoming'].map((suffix) => SQLITE_FILE + suffix),
  ...['lock.db', 'lock.db-journal', 'server.pid', 'secret.key', 'secret.key.lock'],
]

/**
 * The folder contains secrets: only the owner may read it, also if an earlier version or a person created it otherwise.
 */
export function prepareDataDirectory(directory: string): string {
  makeFolder(directory)
  accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  makeOwnerOnly(directory)
  for (const name of OWN_FILES) makeOwnerOnly(join(directory, name))
  makeFolderOwnerOnly(join(directory, 'outbox'))
  return directory
}
