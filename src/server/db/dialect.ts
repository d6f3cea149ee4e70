import {
  type AliasedRawBuilder,
  type ColumnDataType,
  type CreateTableBuilder,
  type Expression,
  type Kysely,
  type LogEvent,
  type RawBuilder,
  type SqlBool,
  SqliteAdapter,
  sql,
} from 'kysely'
import type { Db } from './database.ts'

/** True if a text contains another one literally. Email addresses are stored in lower case: no row's case is changed. */
export function containsText(db: Db, text: Expression<string | null>, part: string): Expression<SqlBool> {
  const find = sql.raw(engineOf(db) === 'sqlite' ? 'instr' : 'strpos')
  return sql<SqlBool>`${find}(${text}, ${part}) > 0`
}

/** One field of a JSON column as text; SQLite returns booleans as 1 and 0. */
export function jsonField(db: Db, column: string, key: string): RawBuilder<string | number | null> {
  return engineOf(db) === 'sqlite'
    ? sql`json_extract(${sql.ref(column)}, ${`$.${key}`})`
    : sql`${sql.ref(column)} ->> ${sql.lit(key)}`
}

/** True if two JSON columns are equal except for these fields; null if one is empty. */
export function sameJson(
  db: Db,
  [one, other]: readonly [string, string],
  aside: readonly string[],
): RawBuilder<boolean | number | null> {
  const rest = (column: string) =>
    engineOf(db) === 'sqlite'
      ? sql`json_remove(${sql.ref(column)}, ${sql.join(aside.map((key) => `$.${key}`))})`
      : sql`${sql.ref(column)} - array[${sql.join(aside.map((key) => sql.lit(key)))}]`
  return sql`${rest(one)} = ${rest(other)}`
}

/**
 * Locks the rows of a query until the transaction ends. SQLite has one writer from the first statement of a transaction
 * on, and no row locks.
 */
export function locked<Query extends { forUpdate(): Query }>(trx: Db, query: Query): Query {
  return engineOf(trx) === 'postgres' ? query.forUpdate() : query
}

/**
 * Rows as a table for a statement, in one parameter: a statement with thousands of parameters takes longer to build
 * than to run. `columns` are the names with their PostgreSQL types.
 */
export function asTable<Name extends string>(
  db: Db,
  columns: Readonly<Record<Name, string>>,
  rows: readonly { readonly [Column in NoInfer<Name>]?: unknown }[],
): AliasedRawBuilder<Record<Name, string>, 'rows'> {
  const names = Object.keys(columns) as Name[]
  const list = JSON.stringify(rows.map((row) => names.map((name) => row[name] ?? null)))
  const query =
    engineOf(db) === 'postgres'
      ? sql`(select ${sql.join(names.map((name, index) => sql.raw(`(cell ->> ${index})::${columns[name]}`)))}
          from json_array_elements(${list}::json) as cell)`
      : sql`(select ${sql.join(names.map((_name, index) => sql.raw(`value ->> ${index}`)))}
          from json_each(${list}))`
  return query.as('rows') as AliasedRawBuilder<Record<Name, string>, 'rows'>
}

export type Engine = 'sqlite' | 'postgres'

type DataType = ColumnDataType | Expression<unknown>

interface ColumnTypes {
  uuid: DataType
  text: DataType
  integer: DataType
  /** PostgreSQL's integer ends at 2,147,483,647. */
  bigint: DataType
  boolean: DataType
  timestamp: DataType
  json: DataType
}

const TYPES: Record<Engine, ColumnTypes> = {
  sqlite: {
    uuid: 'text',
    text: 'text',
    integer: 'integer',
    bigint: 'integer',
    boolean: 'integer',
    timestamp: 'text',
    json: 'text',
  },
  postgres: {
    uuid: 'uuid',
    text: 'text',
    integer: 'integer',
    bigint: 'bigint',
    boolean: 'boolean',
    timestamp: sql`timestamptz(3)`,
    json: 'jsonb',
  },
}

// biome-ignore lint/suspicious/noExplicitAny: an engine is a fact of the connection, whatever its schema.
export function engineOf(db: Kysely<any>): Engine {
  return db.getExecutor().adapter instanceof SqliteAdapter ? 'sqlite' : 'postgres'
}

/** The one place where the engines' column types differ. */
export function columnTypes(db: Kysely<unknown>): ColumnTypes {
  return TYPES[engineOf(db)]
}

/** A table with enforced types: PostgreSQL always does, SQLite only with `strict`. */
export function createTable<const Name extends string>(
  db: Kysely<unknown>,
  name: Name,
): CreateTableBuilder<Name, never> {
  const table = db.schema.createTable(name)
  return engineOf(db) === 'sqlite' ? table.modifyEnd(sql`strict`) : table
}

/** Called after each statement: its kind, such as `SelectQueryNode`, its duration, and whether it failed. */
export type OnStatement = (kind: string, ms: number, failed: boolean) => void

/** Kysely measures only with a listener. */
export function logStatements(onStatement: OnStatement | undefined): { log?: (event: LogEvent) => void } {
  if (onStatement === undefined) return {}
  return {
    log: ({ level, query, queryDurationMillis }) =>
      onStatement(query.query.kind, queryDurationMillis, level === 'error'),
  }
}
