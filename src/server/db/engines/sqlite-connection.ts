import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { SqlValue } from './sqlite-thread.ts'

const STATEMENT_CACHE_SIZE = 256

/** For opening, reading and rare statements; a write waits for the lock without blocking the thread. */
const BUSY_TIMEOUT_MS = 5000

/**
 * 16 MB of log before a checkpoint: under load the same pages change repeatedly and are written back once. The cache is
 * as large, so that those pages are not read again between commits.
 */
const CHECKPOINT_PAGES = 4_000

const WRITER_CACHE_KB = 16_000

export interface StatementOutcome {
  rows?: Record<string, unknown>[]
  changes?: number | bigint
  lastInsertRowid?: number | bigint
}

/** One connection, inside the SQLite thread, with its prepared statements. */
export class SqliteConnection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, { statement: StatementSync; hasRows: boolean }>()

  constructor(file: string, access: 'write' | 'read') {
    // The timeout must be set before journal_mode, or two processes that open at once collide.
    this.#database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
    try {
      this.#database.exec(
        access === 'write'
          ? `pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 0;
             pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma cache_size = -${WRITER_CACHE_KB}`
          : 'pragma query_only = on',
      )
      // SQLite's `lower` only handles ASCII: "É" must find "é".
      this.#database.function('unicode_lower', { deterministic: true }, (value) =>
        typeof value === 'string' ? value.toLowerCase() : value,
      )
      registerJsonFunctions(this.#database)
      // Counters of one connection cannot be compared with another's, so they carry its id.
      const id = randomUUID()
      this.#database.function('connection_id', { deterministic: true }, () => id)
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction
  }

  run(sql: string, parameters: readonly SqlValue[] = []): StatementOutcome {
    const { statement, hasRows } = this.#prepare(sql)
    return hasRows ? { rows: statement.all(...parameters) } : statement.run(...parameters)
  }

  /** Runs a statement without result rows for each list of parameters, inside the open transaction: all or none. */
  runEach(sql: string, parameterSets: readonly (readonly SqlValue[])[]): StatementOutcome {
    const { statement } = this.#prepare(sql)
    this.run('savepoint each')
    try {
      let changes = 0
      for (const parameters of parameterSets) changes += Number(statement.run(...parameters).changes)
      this.run('release each')
      return { changes }
    } catch (error) {
      // On a full disk SQLite rolls back by itself.
      if (this.isTransaction) {
        this.run('rollback to each')
        this.run('release each')
      }
      throw error
    }
  }

  /** Waits for other processes inside SQLite, blocking the thread: for rare statements. */
  runPatiently(sql: string, parameters: readonly SqlValue[]): StatementOutcome {
    this.#database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
    try {
      return this.run(sql, parameters)
    } finally {
      this.#database.exec('pragma busy_timeout = 0')
    }
  }

  close(): void {
    this.#database.close()
  }

  #prepare(sql: string): { statement: StatementSync; hasRows: boolean } {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    const prepared = { statement, hasRows: statement.columns().length > 0 }
    if (this.#statements.size >= STATEMENT_CACHE_SIZE) this.#statements.clear()
    this.#statements.set(sql, prepared)
    return prepared
  }
}

/** PostgreSQL's `->`, `->>` and `@>` for SQLite, whose operators format numbers and booleans differently. */
function registerJsonFunctions(database: DatabaseSync): void {
  const options = { deterministic: true }
  database.function('json_at', options, (document, keys, asText) => {
    if (typeof document !== 'string' || typeof keys !== 'string') return null
    const found = valueAt(JSON.parse(document), JSON.parse(keys))
    if (found === undefined || (asText === 1 && found === null)) return null
    return asText === 1 && typeof found === 'string' ? found : JSON.stringify(found)
  })
  database.function('json_contains', options, (whole, part) => {
    if (typeof whole !== 'string' || typeof part !== 'string') return null
    return containsAtTop(JSON.parse(whole), JSON.parse(part)) ? 1 : 0
  })
}

/** A number is an array index, a text an object key; undefined if there is none. */
export function valueAt(document: unknown, keys: readonly (string | number)[]): unknown {
  let value = document
  for (const key of keys) {
    if (typeof key === 'number') value = Array.isArray(value) ? value.at(key) : undefined
    else value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value
}

/** At the top level an array also contains a plain value. */
function containsAtTop(whole: unknown, part: unknown): boolean {
  const isPlain = !Array.isArray(part) && !isObject(part)
  return contains(whole, Array.isArray(whole) && isPlain ? [part] : part)
}

function contains(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part))
    return Array.isArray(whole) && part.every((wanted) => whole.some((item) => contains(item, wanted)))
  if (isObject(part)) {
    return (
      isObject(whole) &&
      Object.entries(part).every(([key, wanted]) => Object.hasOwn(whole, key) && contains(whole[key], wanted))
    )
  }
  return whole === part
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/**
 * Identity of the open file. SQLite keeps writing into a deleted or replaced file and reports success, so a write is
 * acknowledged only if the file is still at its path.
 */
export class StoredFile {
  readonly path: string
  readonly identity: string
  readonly #log: string
  #logIdentity: string | null

  /** Call it when the database is open. `expected` is the identity of an earlier opening. */
  constructor(path: string, expected: string | null) {
    const identity = identify(path)
    if (identity === null || (expected !== null && identity !== expected)) throw new FileGoneError(path)
    this.path = path
    this.identity = identity
    this.#log = `${path}-wal`
    this.#logIdentity = identify(this.#log)
  }

  /** Two file system calls, some microseconds beside a commit's sync. */
  assertInPlace(): void {
    if (identify(this.path) !== this.identity) throw new FileGoneError(this.path)
    const log = identify(this.#log)
    // The log is created by the first write and exists while a connection is open.
    if (log === null || (this.#logIdentity !== null && log !== this.#logIdentity)) {
      throw new FileGoneError(this.#log)
    }
    this.#logIdentity = log
  }
}

class FileGoneError extends Error {
  readonly code = 'STORAGE_FILE_GONE'
  constructor(path: string) {
    super(`the database file that is open is no longer at ${path}`)
    this.name = 'FileGoneError'
  }
}

/** The inode of an open file is not reused, even after its name is gone. */
function identify(path: string): string | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`
}
