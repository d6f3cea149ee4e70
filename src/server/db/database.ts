import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { makeFolder, makeFolderOwnerOnly, makeOwnerOnly, touchOwnerOnly } from './data-directory.ts'
import type { Engine, OnStatement } from './dialect.ts'
import { openPostgres } from './engines/postgres.ts'
import { openSqlite } from './engines/sqlite.ts'
import type { Schema } from './schema/index.ts'

export const SQLITE_FILE = 'portico.db'

const DEFAULT_POOL_SIZE = 10

export type Db = Kysely<Schema>

export interface Database {
  readonly db: Db
  readonly engine: Engine
  /** PostgreSQL: after the start, whatever answers at the same address with other data counts as unavailable. */
  pinSite?(): Promise<void>
  /** PostgreSQL: a process that stops waits no longer than this for a database that does not answer. */
  closeWithin?(ms: number): void
  close(): Promise<void>
}

export interface DatabaseOptions {
  dataDir: string
  databaseUrl: string | null
  /** Connections to PostgreSQL that this process holds at most. */
  databasePoolSize?: number
  onConnectionLost?: (error: Error) => void
  /** Told how long each statement took, in milliseconds; nothing is measured without it. */
  onStatement?: OnStatement
}

export function openDatabase(options: DatabaseOptions): Database {
  if (options.databaseUrl !== null) {
    const { db, ...postgres } = openPostgres({
      url: options.databaseUrl,
      poolSize: options.databasePoolSize ?? DEFAULT_POOL_SIZE,
      onConnectionLost: options.onConnectionLost ?? (() => {}),
      onStatement: options.onStatement,
    })
    return { db, engine: 'postgres', ...postgres, close: () => db.destroy() }
  }
  const file = join(prepareDataDirectory(options.dataDir), SQLITE_FILE)
  // SQLite gives the files beside the database the rights of the database.
  touchOwnerOnly(file)
  const db = openSqlite(file, options.onStatement)
  return { db, engine: 'sqlite', close: () => db.destroy() }
}

/** What we write there. Anything else is left as it is: an operator may have named a folder with other things in it. */
const OWN_FILES = [
  ...['', '-wal', '-shm', '-journal', '.incoming'].map((suffix) => SQLITE_FILE + suffix),
  ...['lock.db', 'lock.db-journal', 'server.pid', 'secret.key', 'secret.key.lock'],
]

/** Secrets live here: nobody but the owner may look in, also where an earlier version or a person made it otherwise. */
export function prepareDataDirectory(directory: string): string {
  makeFolder(directory)
  accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  makeOwnerOnly(directory)
  for (const name of OWN_FILES) makeOwnerOnly(join(directory, name))
  makeFolderOwnerOnly(join(directory, 'outbox'))
  return directory
}
