import { randomUUID } from 'node:crypto'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { registerJsonFunctions } from './json-functions.ts'
import type { SqlValue } from './sqlite-messages.ts'

const STATEMENT_CACHE_SIZE = 256
/** For opening, reading and what is rare; a write waits for the lock without holding the thread. */
const BUSY_TIMEOUT_MS = 5000

/**
 * 16 MB of log before it is written back: under load the same pages change again and again, and a page that changed ten
 * times is written back once. As much memory, where needed, keeps those pages from being read again between commits.
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
    // The timeout must stand before journal_mode is asked for, or two processes that open at once collide on it.
    this.#database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
    try {
      this.#database.exec(
        access === 'write'
          ? `pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 0;
             pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma cache_size = -${WRITER_CACHE_KB}`
          : 'pragma query_only = on',
      )
      // SQLite's own `lower` knows ASCII alone: "É" must find "é".
      this.#database.function('unicode_lower', { deterministic: true }, (value) =>
        typeof value === 'string' ? value.toLowerCase() : value,
      )
      registerJsonFunctions(this.#database)
      // Counters of a connection say nothing about another's: whoever compares them must know whose they are.
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

  /** Runs a statement that gives no rows with each list of parameters, inside the open transaction: all of it or none. */
  runEach(sql: string, parameterSets: readonly (readonly SqlValue[])[]): StatementOutcome {
    const { statement } = this.#prepare(sql)
    this.run('savepoint each')
    try {
      let changes = 0
      for (const parameters of parameterSets) changes += Number(statement.run(...parameters).changes)
      this.run('release each')
      return { changes }
    } catch (error) {
      // A full disk makes SQLite take everything back by itself.
      if (this.isTransaction) {
        this.run('rollback to each')
        this.run('release each')
      }
      throw error
    }
  }

  /** Waits for other processes inside SQLite. The thread stands still meanwhile: for what is rare. */
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
