import { type Dialect, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { keepCause } from './keep-cause.ts'
import { type OnStatement, tellStatements } from './on-statement.ts'
import type { Schema } from './schema.ts'
import { SqliteDriver } from './sqlite-driver.ts'
import { SqliteThread } from './sqlite-thread.ts'
import { SqliteValuesPlugin } from './sqlite-values-plugin.ts'

/** The file is opened by the first statement. */
export function openSqlite(file: string, onStatement?: OnStatement): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: keepCause(threadDialect(file)),
    plugins: [new SqliteValuesPlugin()],
    ...tellStatements(onStatement),
  })
}

function threadDialect(file: string): Dialect {
  return {
    createDriver: () => new SqliteDriver(new SqliteThread(file)),
    createAdapter: () => new ThreadAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

class ThreadAdapter extends SqliteAdapter {
  /** Reads do not wait for the writer; the driver itself lets one write at a time. */
  override get supportsMultipleConnections(): boolean {
    return true
  }

  /** SQLite's DDL is transactional: a migration that fails half-way leaves nothing, and the write lock makes a second process wait. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}
