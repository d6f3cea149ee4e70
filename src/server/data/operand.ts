import { type Expression, expressionBuilder, sql } from 'kysely'
import type { Engine } from '../db/column-types.ts'
import type { ColumnPath, JsonPath } from './grammar/json-path.ts'
import { protocolError, unknownColumn } from './protocol-errors.ts'
import { type Column, type DynamicSchema, findReadable, type Resource } from './resource.ts'

/** What is compared or sorted by: a column, or what its path leads to. */
export interface Operand {
  column: Pick<Column, 'name' | 'type' | 'nullable' | 'document'>
  expression: Expression<unknown>
}

const eb = expressionBuilder<DynamicSchema, string>()

export function findOperand(resource: Resource, engine: Engine, { column: name, path }: ColumnPath): Operand {
  const column = findReadable(resource, name)
  if (column === undefined) throw unknownColumn(resource.name, name)
  const expression = eb.ref(`${resource.name}.${column.name}`)
  if (path === null) return { column, expression }
  if (column.type !== 'json') throw noArrow(column)
  return {
    column: { name, type: path.asText ? 'text' : 'json', nullable: true },
    expression: follow(engine, expression, path),
  }
}

function follow(
  engine: Engine,
  document: Expression<unknown>,
  { keys, asText }: JsonPath,
): Expression<unknown> {
  if (engine === 'sqlite') return sql`json_at(${document}, ${JSON.stringify(keys)}, ${asText ? 1 : 0})`
  const last = keys.length - 1
  return keys.reduce<Expression<unknown>>((value, key, at) => {
    const step = typeof key === 'number' ? sql`${key}::int` : sql`${key}::text`
    return asText && at === last ? sql`(${value} ->> ${step})` : sql`(${value} -> ${step})`
  }, document)
}

/** Text compares by code point on both engines, whatever locale the PostgreSQL server was made with. */
export function comparable(engine: Engine, { column, expression }: Operand): Expression<unknown> {
  return engine === 'postgres' && column.type === 'text' ? sql`${expression} collate "C"` : expression
}

const TYPE_NAMES: Partial<Record<Column['type'], string>> = { timestamp: 'timestamp with time zone' }

export function typeName({ type }: Pick<Column, 'type'>): string {
  return TYPE_NAMES[type] ?? type
}

export const noOperator = (message: string) => protocolError(404, '42883', message)

export const noArrow = (column: Pick<Column, 'type'>) =>
  noOperator(`operator does not exist: ${typeName(column)} -> unknown`)
