import {
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

/** Whether a text holds another one, as it is: no letter of it means anything else, as it would in a pattern. */
export function containsText(db: Db, text: Expression<string | null>, part: string): Expression<SqlBool> {
  return engineOf(db) === 'sqlite'
    ? sql<SqlBool>`instr(lower(${text}), ${part.toLowerCase()}) > 0`
    : sql<SqlBool>`strpos(lower(${text}), ${part.toLowerCase()}) > 0`
}

/** One field of a JSON column, as text; SQLite tells booleans as 1 and 0. */
export function jsonField(db: Db, column: string, key: string): RawBuilder<string | number | null> {
  return engineOf(db) === 'sqlite'
    ? sql`json_extract(${sql.ref(column)}, ${`$.${key}`})`
    : sql`${sql.ref(column)} ->> ${sql.lit(key)}`
}

/** Whether two JSON columns hold the same, these fields aside; null where one holds nothing. */
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
 * The same query, whose rows nobody else changes until the transaction ends. The embedded engine has one writer at a
 * time, from the first statement of a transaction on, and has no row locks.
 */
export function locked<Query extends { forUpdate(): Query }>(trx: Db, query: Query): Query {
  return engineOf(trx) === 'postgres' ? query.forUpdate() : query
}

export type Engine = 'sqlite' | 'postgres'

type DataType = ColumnDataType | Expression<unknown>

interface ColumnTypes {
  uuid: DataType
  text: DataType
  integer: DataType
  boolean: DataType
  timestamp: DataType
  json: DataType
}

const TYPES: Record<Engine, ColumnTypes> = {
  sqlite: {
    uuid: 'text',
    text: 'text',
    integer: 'integer',
    boolean: 'integer',
    timestamp: 'text',
    json: 'text',
  },
  postgres: {
    uuid: 'uuid',
    text: 'text',
    integer: 'integer',
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

/** A table whose types the engine enforces: PostgreSQL always does, SQLite only when told `strict`. */
export function createTable<const Name extends string>(
  db: Kysely<unknown>,
  name: Name,
): CreateTableBuilder<Name, never> {
  const table = db.schema.createTable(name)
  return engineOf(db) === 'sqlite' ? table.modifyEnd(sql`strict`) : table
}

/** Called with each statement that has ended: its kind, such as `SelectQueryNode`, how long it took, and whether it failed. */
export type OnStatement = (kind: string, ms: number, failed: boolean) => void

/** The query builder measures only when it is given a listener. */
export function logStatements(onStatement: OnStatement | undefined): { log?: (event: LogEvent) => void } {
  if (onStatement === undefined) return {}
  return {
    log: ({ level, query, queryDurationMillis }) =>
      onStatement(query.query.kind, queryDurationMillis, level === 'error'),
  }
}
