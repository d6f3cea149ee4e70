import {
  type ColumnDataType,
  type CreateTableBuilder,
  type Expression,
  type Kysely,
  SqliteAdapter,
  sql,
} from 'kysely'

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
