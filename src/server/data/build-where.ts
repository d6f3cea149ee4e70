import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Engine } from '../db/column-types.ts'
import { parseText } from './column-values.ts'
import type { Condition, IsValue, Test } from './grammar/query.ts'
import { protocolError, unknownColumn } from './protocol-errors.ts'
import { type Column, type DynamicSchema, findReadable, type Resource } from './resource.ts'
import { toGlob, toLikePattern } from './text-pattern.ts'

type Predicate = Expression<SqlBool>

const SYMBOLS = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  isdistinct: 'is distinct from',
} as const

const eb = expressionBuilder<DynamicSchema, string>()

/** Turns conditions into one predicate: names come from the declaration, values travel as parameters. */
export function buildWhere(resource: Resource, engine: Engine, conditions: readonly Condition[]): Predicate {
  return eb.and(conditions.map((condition) => build(condition)))

  function build(condition: Condition): Predicate {
    if (condition.kind === 'group') {
      const parts = condition.conditions.map(build)
      const group = condition.operator === 'and' ? eb.and(parts) : eb.or(parts)
      return condition.negated ? eb.not(group) : group
    }
    const column = findReadable(resource, condition.column)
    if (column === undefined) throw unknownColumn(resource.name, condition.column)
    const test = buildTest(resource, engine, column, condition.test)
    return condition.negated ? eb.not(test) : test
  }
}

function buildTest(resource: Resource, engine: Engine, column: Column, test: Test): Predicate {
  const reference = eb.ref(`${resource.name}.${column.name}`)
  if (test.operator === 'is') return buildIs(column, reference, test.value)
  if (column.type === 'json') throw noOperator(`operator does not exist: json = unknown`)
  if (test.operator === 'in') {
    const values = test.values.map((value) => parseText(column.type, value))
    return values.length === 0 ? sql<SqlBool>`1 = 0` : eb(reference, 'in', values)
  }
  if (test.operator === 'like' || test.operator === 'ilike') {
    if (column.type !== 'text') throw noOperator(`operator does not exist: ${typeName(column)} ~~ unknown`)
    return buildLike(engine, reference, test.operator, test.value)
  }
  const value = parseText(column.type, test.value)
  return eb(comparable(engine, column, reference), SYMBOLS[test.operator], value)
}

function buildIs(column: Column, reference: Expression<unknown>, value: IsValue): Predicate {
  if (value === 'null') return eb(reference, 'is', null)
  if (value === 'not_null') return eb(reference, 'is not', null)
  if (column.type !== 'boolean') {
    const message = `argument of IS ${value.toUpperCase()} must be type boolean, not type ${typeName(column)}`
    throw protocolError(400, '42804', message)
  }
  return value === 'unknown' ? eb(reference, 'is', null) : eb(reference, 'is', value === 'true')
}

/**
 * SQLite's own LIKE ignores the case of ASCII letters and of no others. Its GLOB is exact, and over lower-cased text
 * it is what ILIKE means: `unicode_lower` is registered by the engine, because SQLite's `lower` is for ASCII alone.
 */
function buildLike(
  engine: Engine,
  reference: Expression<unknown>,
  operator: 'like' | 'ilike',
  value: string,
): Predicate {
  const pattern = toLikePattern(String(parseText('text', value)))
  if (engine === 'postgres') return eb(reference, operator, pattern)
  if (operator === 'like') return sql<SqlBool>`${reference} glob ${toGlob(pattern)}`
  return sql<SqlBool>`unicode_lower(${reference}) glob ${toGlob(pattern.toLowerCase())}`
}

/** Text compares by code point on both engines, whatever locale the PostgreSQL server was made with. */
export function comparable(
  engine: Engine,
  column: Column,
  reference: Expression<unknown>,
): Expression<unknown> {
  return engine === 'postgres' && column.type === 'text' ? sql`${reference} collate "C"` : reference
}

const TYPE_NAMES: Partial<Record<Column['type'], string>> = { timestamp: 'timestamp with time zone' }

export function typeName(column: Column): string {
  return TYPE_NAMES[column.type] ?? column.type
}

export const noOperator = (message: string) => protocolError(404, '42883', message)
