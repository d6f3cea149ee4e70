import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { Kysely, SqliteAdapter, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely'
import { keepCause } from './keep-cause.ts'
import type { Schema } from './schema.ts'
import { SqliteValuesPlugin } from './sqlite-values-plugin.ts'

const BUSY_TIMEOUT_MS = 5000
const STATEMENT_CACHE_SIZE = 256

export function openSqlite(file: string): Kysely<Schema> {
  // The timeout must stand before journal_mode is asked for, or two processes that open at once collide on it.
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  database.exec('pragma journal_mode = wal; pragma synchronous = full')
  // SQLite's own `lower` knows ASCII alone: "É" must find "é".
  database.function('unicode_lower', { deterministic: true }, (value) =>
    typeof value === 'string' ? value.toLowerCase() : value,
  )
  return new Kysely<Schema>({
    dialect: keepCause(new NodeSqliteDialect({ database: new KyselyDatabase(database) })),
    plugins: [new SqliteValuesPlugin()],
  })
}

class NodeSqliteDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalSqliteAdapter()
  }
}

/** SQLite's DDL is transactional: a migration that fails half-way leaves nothing, and the write lock makes a second process wait. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class KyselyDatabase implements SqliteDatabase {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, SqliteStatement>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  close(): void {
    this.#database.close()
  }

  prepare(sql: string): SqliteStatement {
    // Taking the write lock at once: a deferred transaction that reads and then writes fails when another process wrote.
    const text = sql === 'begin' ? 'begin immediate' : sql
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const statement = adaptStatement(this.#database.prepare(text))
    if (this.#statements.size >= STATEMENT_CACHE_SIZE) this.#statements.clear()
    this.#statements.set(text, statement)
    return statement
  }
}

function adaptStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters.map(toSqlite)),
    run: (parameters) => statement.run(...parameters.map(toSqlite)),
    iterate: (parameters) => statement.iterate(...parameters.map(toSqlite)),
  }
}

/** `node:sqlite` would bind an object given first as named parameters, that is as NULLs and without a word. */
function toSqlite(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null || ['string', 'number', 'bigint'].includes(typeof value)) return value as SQLInputValue
  if (value instanceof Uint8Array) return value
  throw new TypeError(`a ${typeof value} cannot be a database parameter`)
}
