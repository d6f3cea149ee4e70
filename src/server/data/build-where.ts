import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Engine } from '../db/column-types.ts'
import { buildContainment } from './build-containment.ts'
import { parseText } from './column-values.ts'
import type { Comparison, Condition, IsValue, Test } from './grammar/query.ts'
import { comparable, findOperand, noOperator, type Operand, typeName } from './operand.ts'
import { protocolError } from './protocol-errors.ts'
import type { DynamicSchema, Resource } from './resource.ts'
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
    const test = buildTest(engine, findOperand(resource, engine, condition), condition.test)
    return condition.negated ? eb.not(test) : test
  }
}

function buildTest(engine: Engine, operand: Operand, test: Test): Predicate {
  const { column, expression } = operand
  switch (test.operator) {
    case 'is':
      return buildIs(operand, test.value)
    case 'cs':
    case 'cd':
    case 'ov':
      return buildContainment(engine, operand, test.operator, test.value)
    case 'in': {
      refuseJson(operand)
      const values = test.values.map((value) => parseText(column.type, value))
      return values.length === 0 ? sql<SqlBool>`1 = 0` : eb(expression, 'in', values)
    }
    case 'quantified': {
      const parts = test.values.map((value) => buildComparison(engine, operand, test.comparison, value))
      return test.quantifier === 'any' ? eb.or(parts) : eb.and(parts)
    }
    default:
      return buildComparison(engine, operand, test.operator, test.value)
  }
}

function buildComparison(engine: Engine, operand: Operand, operator: Comparison, text: string): Predicate {
  refuseJson(operand)
  if (operator === 'like' || operator === 'ilike') return buildLike(engine, operand, operator, text)
  return eb(comparable(engine, operand), SYMBOLS[operator], parseText(operand.column.type, text))
}

function refuseJson({ column }: Operand): void {
  if (column.type === 'json') throw noOperator('operator does not exist: json = unknown')
}

function buildIs({ column, expression }: Operand, value: IsValue): Predicate {
  if (value === 'null') return eb(expression, 'is', null)
  if (value === 'not_null') return eb(expression, 'is not', null)
  if (column.type !== 'boolean') {
    const message = `argument of IS ${value.toUpperCase()} must be type boolean, not type ${typeName(column)}`
    throw protocolError(400, '42804', message)
  }
  return value === 'unknown' ? eb(expression, 'is', null) : eb(expression, 'is', value === 'true')
}

/**
 * SQLite's own LIKE ignores the case of ASCII letters and of no others. Its GLOB is exact, and over lower-cased text
 * it is what ILIKE means: `unicode_lower` is registered by the engine, because SQLite's `lower` is for ASCII alone.
 */
function buildLike(
  engine: Engine,
  { column, expression }: Operand,
  operator: 'like' | 'ilike',
  value: string,
): Predicate {
  if (column.type !== 'text') throw noOperator(`operator does not exist: ${typeName(column)} ~~ unknown`)
  const pattern = toLikePattern(String(parseText('text', value)))
  if (engine === 'postgres') return eb(expression, operator, pattern)
  if (operator === 'like') return sql<SqlBool>`${expression} glob ${toGlob(pattern)}`
  return sql<SqlBool>`unicode_lower(${expression}) glob ${toGlob(pattern.toLowerCase())}`
}
