import { type CompiledQuery, expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Engine } from '../db/dialect.ts'
import type { OrderItem, Query } from './grammar/query.ts'
import type { RowRange } from './request.ts'
import {
  type Column,
  type DynamicDb,
  type DynamicSchema,
  PRIMARY_KEY,
  type Resource,
  type Row,
  type Source,
} from './resource.ts'
import { type OutputColumn, type RowShape, shapeRows } from './row-format.ts'
import { typeName } from './values.ts'
import { buildWhere, comparable, findOperand, noOperator } from './where.ts'

/** Lists up to this length are read in one go; longer ones in pages of this size. */
export const PAGE_ROWS = 200

/** The same in bytes: the memory limit of one response. */
export const PAGE_BYTES = 512_000

/**
 * A long list up to this size is read in one go all the same, because that is several times faster: some ten thousand
 * pixels without their code. Few are in memory at once (`LONG_LISTS`).
 */
const WHOLE_BYTES = 5_000_000

/** A key and the approximate size of its row. */
export interface KeyedSize {
  id: string
  bytes: number
}

/** A compiled list query: the same address needs no parsing or compiling again. */
export interface ReadPlan {
  shape: RowShape
  range: RowRange
  /** A list of one page as JSON text, made by SQLite if it has changed. */
  text: CompiledQuery<ListText> | null
  /** A longer list as JSON text, made by the database; null if the selection cannot be expressed. */
  whole(): CompiledQuery<ListText> | null
  /** Keys and sizes in order: one more than a page, which shows whether the list is longer, or all. */
  keys(rows: 'page' | 'all'): CompiledQuery<KeyedSize>
  pageOf(keys: readonly string[]): CompiledQuery<Row>
  count(): CompiledQuery<{ count: number }>
}

const eb = expressionBuilder<DynamicSchema, string>()

const NO_LIMIT = Number.MAX_SAFE_INTEGER

export function planRead(
  resource: Resource,
  engine: Engine,
  db: DynamicDb,
  query: Query,
  range: RowRange,
): ReadPlan {
  const shape = shapeRows(resource, query.select)
  const filtered = applyWhere(resource, engine, resource.source(db), query)
  const ordered = applyOrder(resource, engine, filtered, query.order).offset(range.offset)
  const selected = [...new Set(shape.outputs.map((output) => output.column))]
  const columns = selected.map((column) => `${resource.name}.${column.name}`)
  const key = `${resource.name}.${PRIMARY_KEY}`
  const limit = range.limit ?? NO_LIMIT
  const firstRows = ordered.limit(Math.min(limit, PAGE_ROWS + 1))
  const bytes = rowBytes(engine, resource, selected).as('bytes')
  const asText = (maxRows: number, maxBytes: number) => {
    const rows = ordered.limit(Math.min(limit, maxRows + 1))
    return compileListText(db, engine, {
      shape,
      rows: rows.select(columns),
      sizes: rows.select(bytes),
      maxRows,
      maxBytes,
    })
  }
  return {
    shape,
    range,
    text: engine === 'sqlite' ? asText(PAGE_ROWS, PAGE_BYTES) : null,
    whole: () => asText(WHOLE_BYTES / FIXED_BYTES, WHOLE_BYTES),
    keys: (rows) =>
      (rows === 'page' ? firstRows : ordered.limit(limit))
        .select([key, bytes])
        .compile() as CompiledQuery<KeyedSize>,
    pageOf: (keys) =>
      resource
        .source(db)
        .select([...new Set([key, ...columns])])
        .where(key, 'in', keys)
        .compile(),
    count: () =>
      filtered.select(eb.fn.countAll<number>().as('count')).compile() as CompiledQuery<{ count: number }>,
  }
}

export function applyWhere(resource: Resource, engine: Engine, source: Source, query: Query): Source {
  return query.where.length === 0 ? source : source.where(buildWhere(resource, engine, query.where))
}

/** The key ends every order, so that two pages never share a row. */
export function applyOrder(
  resource: Resource,
  engine: Engine,
  source: Source,
  order: readonly OrderItem[],
): Source {
  const asked =
    order.length > 0
      ? order
      : resource.defaultOrder.map((column) => ({ column, path: null, descending: false, nulls: null }))
  const items = [...asked, { column: PRIMARY_KEY, path: null, descending: false, nulls: null }]
  return items.reduce((query, item) => orderBy(resource, engine, query, item), source)
}

function orderBy(resource: Resource, engine: Engine, source: Source, item: OrderItem): Source {
  const operand = findOperand(resource, engine, item)
  const { column } = operand
  if (column.type === 'json') {
    throw noOperator(`could not identify an ordering operator for type ${typeName(column)}`)
  }
  const expression = comparable(engine, operand)
  // PostgreSQL's default, written out because SQLite's is the opposite; omitted for non-null columns, to use the index.
  const nulls = column.nullable ? (item.nulls ?? (item.descending ? 'first' : 'last')) : null
  return source.orderBy(sql`${expression}`, (order) => {
    const directed = item.descending ? order.desc() : order.asc()
    if (nulls === null) return directed
    return nulls === 'first' ? directed.nullsFirst() : directed.nullsLast()
  })
}

/** SQLite functions take at most 127 arguments: a name and a value per column. */
const MAX_OUTPUTS = 60

export interface ListText {
  /** The marker for which the list is valid. */
  mark: string
  /** Null: unchanged since the given marker; empty: too long for one response. */
  list: string | null
}

interface ListTextPlan {
  shape: RowShape
  /** The rows in order, at most one more than a page. */
  rows: Source
  /** The same rows, as one column `bytes`. */
  sizes: Source
  maxRows: number
  maxBytes: number
}

/**
 * A whole list as JSON text, made by the database in one statement, so that all of it is of one moment. SQLite also
 * checks whether anything changed since `mark` (`data_version` of the reading connection counts commits of all other
 * connections); an unchanged list is not read. The first parameter is the mark. Null if the selection cannot be
 * expressed.
 */
export function compileListText(
  db: DynamicDb,
  engine: Engine,
  plan: ListTextPlan,
): CompiledQuery<ListText> | null {
  const outputs = [...new Map(plan.shape.outputs.map((output) => [output.name, output])).values()]
  if (outputs.length > MAX_OUTPUTS || !outputs.every((output) => isWritable(engine, output))) return null
  const isLong = sql`(select count(*) > ${sql.lit(plan.maxRows)} or sum(bytes) > ${sql.lit(plan.maxBytes)} from (${plan.sizes}) as sizes)`
  const list = engine === 'sqlite' ? listInSqlite(outputs, plan.rows) : listInPostgres(outputs, plan.rows)
  const text = sql`case when ${isLong} then '' else ${list} end`
  const query =
    engine === 'sqlite'
      ? sql<ListText>`
          select mark, case when mark = ${''} then null else ${text} end as list
          from (select connection_id() || '.' || data_version as mark from pragma_data_version)`
      : sql<ListText>`select '' as mark, ${text} as list`
  return query.compile(db) as CompiledQuery<ListText>
}

function listInSqlite(outputs: readonly OutputColumn[], rows: Source): RawBuilder<string> {
  const members = outputs.flatMap((output) => [sql`${output.name}`, inSqlite(output)])
  return sql`(select count(*) || json_group_array(json_object(${sql.join(members)})) from (${rows}))`
}

function listInPostgres(outputs: readonly OutputColumn[], rows: Source): RawBuilder<string> {
  const members = outputs.map((output) => sql`${inPostgres(output)} as ${sql.id(output.name)}`)
  return sql`(select count(*) || '[' || coalesce(string_agg(row_to_json(listed)::text, ','), '') || ']'
    from (select ${sql.join(members)} from (${rows}) as stored) as listed)`
}

/** PostgreSQL shortens longer names. */
const MAX_NAME_BYTES = 63

/** Other outputs are computed row by row. PostgreSQL has its own spaces in JSON. */
function isWritable(engine: Engine, { name, column, path, cast }: OutputColumn): boolean {
  if (path !== null || (cast !== null && cast !== 'text')) return false
  return engine === 'sqlite' || (column.type !== 'json' && Buffer.byteLength(name) <= MAX_NAME_BYTES)
}

/** The version of `outputValue` for PostgreSQL. */
function inPostgres({ column, cast }: OutputColumn): RawBuilder<unknown> {
  const value = sql.ref(column.name)
  if (column.type !== 'timestamp') return cast === 'text' ? sql`${value}::text` : value
  // As JSON, because the format of its text depends on a setting.
  const time = sql`(to_json(${value} at time zone 'UTC') #>> '{}')`
  return cast === 'text' ? sql`replace(${time}, 'T', ' ') || '+00'` : sql`${time} || '+00:00'`
}

/** The version of `outputValue` for SQLite. */
function inSqlite({ column, cast }: OutputColumn): RawBuilder<unknown> {
  const asText = cast === 'text'
  const value = sql.ref(column.name)
  switch (column.type) {
    case 'boolean': {
      const word = sql`case ${value} when 1 then 'true' when 0 then 'false' end`
      return asText ? word : sql`json(${word})`
    }
    case 'json':
      return asText ? value : sql`json(${value})`
    case 'timestamp': {
      const fraction = (from: number) =>
        sql`rtrim(rtrim(substr(${value}, ${sql.lit(from)}, length(${value}) - ${sql.lit(from)}), '0'), '.')`
      return asText
        ? sql`substr(${value}, 1, 10) || ' ' || ${fraction(12)} || '+00'`
        : sql`${fraction(1)} || '+00:00'`
    }
    default:
      return value
  }
}

/** `50[{…},…]`: the count precedes the text, because a case expression returns one scalar. */
export function splitListText(list: string): { count: number; body: Buffer } {
  const at = list.indexOf('[')
  return { count: Number(list.slice(0, at)), body: Buffer.from(list.slice(at)) }
}

/** Keys, times, flags and column names. */
const FIXED_BYTES = 400

/** The approximate size of a row in the response. Neither engine has to read long texts for it. */
function rowBytes(engine: Engine, resource: Resource, columns: readonly Column[]): RawBuilder<number> {
  const parts = columns.flatMap(({ name, type }) => {
    const reference = eb.ref(`${resource.name}.${name}`)
    if (type === 'text') return [sql`coalesce(octet_length(${reference}), 0)`]
    if (type !== 'json') return []
    return [sql`coalesce(octet_length(${engine === 'postgres' ? sql`${reference}::text` : reference}), 0)`]
  })
  return sql<number>`${sql.join([sql.lit(FIXED_BYTES), ...parts], sql` + `)}`
}
