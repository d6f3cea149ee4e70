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

/** A key and the approximate size of its row. */
export interface KeyedSize {
  id: string
  bytes: number
}

/** A compiled list query: the same address needs no parsing or compiling again. */
export interface ReadPlan {
  shape: RowShape
  range: RowRange
  /** The whole list as JSON text, where the engine can produce it. */
  text: CompiledQuery<ListText> | null
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
  const asText = () =>
    compileListText(db, {
      shape,
      rows: firstRows.select(columns),
      sizes: firstRows.select(bytes),
      maxRows: PAGE_ROWS,
      maxBytes: PAGE_BYTES,
    })
  return {
    shape,
    range,
    text: engine === 'sqlite' ? asText() : null,
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
 * A whole list as JSON text, made by SQLite in its thread, together with the check whether anything changed since
 * `mark` (`data_version` of the reading connection counts commits of all other connections). One statement, so that
 * both use one snapshot; an unchanged list is not read. The first parameter is the mark. Null if the selection cannot
 * be expressed.
 */
export function compileListText(db: DynamicDb, plan: ListTextPlan): CompiledQuery<ListText> | null {
  const outputs = new Map(plan.shape.outputs.map((output) => [output.name, output]))
  if (outputs.size > MAX_OUTPUTS || ![...outputs.values()].every(isWritable)) return null
  const members = [...outputs.values()].flatMap((output) => [sql`${output.name}`, toJson(output)])
  return sql<ListText>`
    select mark, case
      when mark = ${''} then null
      when (select count(*) > ${sql.lit(plan.maxRows)} or total(bytes) > ${sql.lit(plan.maxBytes)} from (${plan.sizes})) then ''
      else (select count(*) || json_group_array(json_object(${sql.join(members)})) from (${plan.rows}))
    end as list
    from (select connection_id() || '.' || data_version as mark from pragma_data_version)`.compile(
    db,
  ) as CompiledQuery<ListText>
}

/** Other outputs are computed row by row. */
function isWritable({ path, cast }: OutputColumn): boolean {
  return path === null && (cast === null || cast === 'text')
}

/** The SQL version of `outputValue`. */
function toJson({ column, cast }: OutputColumn): RawBuilder<unknown> {
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
