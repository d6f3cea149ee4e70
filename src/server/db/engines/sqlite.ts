import {
  type Dialect,
  Kysely,
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type UnknownRow,
} from 'kysely'
import { logStatements, type OnStatement } from '../dialect.ts'
import { keepFirstError } from '../errors.ts'
import { BOOLEAN_COLUMNS, JSON_COLUMNS, type Schema } from '../schema/index.ts'
import { SqliteDriver } from './sqlite-driver.ts'
import { SqliteThread, type StatementExecutor } from './sqlite-thread.ts'

/** The first statement opens the file. */
export function openSqlite(
  file: string,
  { onStatement, execute = (path) => new SqliteThread(path) }: SqliteOptions = {},
): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: keepFirstError(threadDialect(execute(file))),
    plugins: [new SqliteValuesPlugin()],
    ...logStatements(onStatement),
  })
}

export interface SqliteOptions {
  onStatement?: OnStatement | undefined
  /** Instead of a thread. */
  execute?: ((file: string) => StatementExecutor) | undefined
}

function threadDialect(executor: StatementExecutor): Dialect {
  return {
    createDriver: () => new SqliteDriver(executor),
    createAdapter: () => new ThreadAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

class ThreadAdapter extends SqliteAdapter {
  /** Reads do not wait for the writer; the driver itself serialises writes. */
  override get supportsMultipleConnections(): boolean {
    return true
  }

  /**
   * SQLite's DDL is transactional: a failed migration leaves nothing, and the write lock makes a second process wait.
   */
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Returns booleans and JSON as PostgreSQL does. By column name, never by guessing: a tag's code can look like JSON. */
class SqliteValuesPlugin implements KyselyPlugin {
  transformQuery(args: PluginTransformQueryArgs): RootOperationNode {
    return args.node
  }

  async transformResult(args: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    const { rows } = args.result
    const first = rows[0]
    if (first === undefined) return args.result
    const booleans: string[] = []
    const documents: string[] = []
    for (const column of Object.keys(first)) {
      if (BOOLEAN_COLUMNS.has(column)) booleans.push(column)
      else if (JSON_COLUMNS.has(column)) documents.push(column)
    }
    for (const row of rows) {
      for (const column of booleans) row[column] = row[column] === null ? null : row[column] === 1
      for (const column of documents) {
        const text = row[column]
        if (typeof text === 'string') row[column] = JSON.parse(text)
      }
    }
    return args.result
  }
}
