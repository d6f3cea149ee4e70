import { type CompiledQuery, expressionBuilder, sql } from 'kysely'
import type { Engine } from '../db/column-types.ts'
import { buildWhere } from './build-where.ts'
import type { OrderItem, Query } from './grammar/query.ts'
import { compileListText, type ListText } from './list-text.ts'
import { comparable, findOperand, noOperator, typeName } from './operand.ts'
import type { RowRange } from './range.ts'
import {
  type DynamicDb,
  type DynamicSchema,
  PRIMARY_KEY,
  type Resource,
  type Row,
  type Source,
} from './resource.ts'
import { rowBytes } from './row-bytes.ts'
import { type RowShape, shapeRows } from './row-shape.ts'

/** Lists up to this long are read and written in one go; longer ones by pages of this size. */
export const PAGE_ROWS = 200
/** The same in bytes: what one answer may hold in memory, whatever the rows weigh. */
export const PAGE_BYTES = 512_000

/** A row by its key, and about how long it is. */
export interface KeyedSize {
  id: string
  bytes: number
}

/** A list, compiled: the same address asked again costs neither parsing nor compiling. */
export interface ReadPlan {
  shape: RowShape
  range: RowRange
  /** The whole list as JSON text, where the engine can make it. */
  text: CompiledQuery<ListText> | null
  /** The primary keys and sizes in order: of one row more than a page, which tells whether the list is longer, or of all. */
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

/** The key closes every order, so that two pages of one list never share a row. */
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
  // PostgreSQL's default, written out because SQLite's is the opposite; left out where it cannot matter, for the index.
  const nulls = column.nullable ? (item.nulls ?? (item.descending ? 'first' : 'last')) : null
  return source.orderBy(sql`${expression}`, (order) => {
    const directed = item.descending ? order.desc() : order.asc()
    if (nulls === null) return directed
    return nulls === 'first' ? directed.nullsFirst() : directed.nullsLast()
  })
}
