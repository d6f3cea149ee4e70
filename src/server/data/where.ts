import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Engine } from '../db/dialect.ts'
import { protocolError, unknownColumn } from './errors.ts'
import { parseArray } from './grammar/cursor.ts'
import type {
  ColumnPath,
  Comparison,
  Condition,
  Containment,
  IsValue,
  JsonPath,
  Test,
} from './grammar/query.ts'
import { type Column, type DynamicSchema, findReadable, type Resource } from './resource.ts'
import { parseText, typeName } from './values.ts'

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

/** Builds one predicate: names come from the declaration, values are parameters. */
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
 * SQLite's LIKE ignores the case of ASCII letters only. GLOB is exact, and on lower-cased text it works like ILIKE: the
 * engine registers `unicode_lower`, because SQLite's `lower` only handles ASCII.
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

const CONTAINMENT_SYMBOLS = { cs: '@>', cd: '<@', ov: '&&' } as const

const eb = expressionBuilder<DynamicSchema, string>()

/** `cs`, `cd` and `ov`. Clients write an array as `{a,b}` and an object as JSON; a JSON array is accepted too. */
function buildContainment(
  engine: Engine,
  { column, expression }: Operand,
  operator: Containment,
  text: string,
): Expression<SqlBool> {
  const missing = () =>
    noOperator(`operator does not exist: ${typeName(column)} ${CONTAINMENT_SYMBOLS[operator]} unknown`)
  if (column.type !== 'json') throw missing()
  const value = readDocument(column.document, text)
  if (operator === 'cs') return contains(engine, expression, asJson(engine, value))
  if (operator === 'cd') return contains(engine, asJson(engine, value), expression)
  if (!Array.isArray(value)) throw missing()
  return eb.or(value.map((item) => contains(engine, expression, asJson(engine, [item]))))
}

function readDocument(kind: 'array' | 'object' | undefined, text: string): unknown {
  if (kind === 'array' && text.startsWith('{')) return parseArray(text, 'filter')
  return parseText('json', text)
}

function asJson(engine: Engine, value: unknown): Expression<unknown> {
  const text = JSON.stringify(value)
  return engine === 'postgres' ? sql`${text}::jsonb` : sql`${text}`
}

function contains(
  engine: Engine,
  whole: Expression<unknown>,
  part: Expression<unknown>,
): Expression<SqlBool> {
  return engine === 'postgres'
    ? sql<SqlBool>`(${whole} @> ${part})`
    : sql<SqlBool>`json_contains(${whole}, ${part})`
}

/** What is compared or sorted: a column, or the value of its path. */
interface Operand {
  column: Pick<Column, 'name' | 'type' | 'nullable' | 'document'>
  expression: Expression<unknown>
}

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

/** Text compares by code point on both engines, whatever the locale of PostgreSQL. */
export function comparable(engine: Engine, { column, expression }: Operand): Expression<unknown> {
  return engine === 'postgres' && column.type === 'text' ? sql`${expression} collate "C"` : expression
}

export const noOperator = (message: string) => protocolError(404, '42883', message)

export const noArrow = (column: Pick<Column, 'type'>) =>
  noOperator(`operator does not exist: ${typeName(column)} -> unknown`)

/** The API uses `*` for SQL's `%`, which would need escaping in an address. */
function toLikePattern(value: string): string {
  const pattern = value.replaceAll('*', '%')
  const trailing = /(?<!\\)\\+$/.exec(pattern)?.[0].length ?? 0
  if (trailing % 2 === 1) {
    throw protocolError(400, '22025', 'LIKE pattern must not end with escape character')
  }
  return pattern
}

const GLOB_SPECIAL = '*?['

/** The same pattern for GLOB, where only a class can contain a literal wildcard. */
function toGlob(pattern: string): string {
  let glob = ''
  for (let at = 0; at < pattern.length; at++) {
    let character = pattern.charAt(at)
    if (character === '%') glob += '*'
    else if (character === '_') glob += '?'
    else {
      if (character === '\\') character = pattern.charAt(++at)
      glob += GLOB_SPECIAL.includes(character) ? `[${character}]` : character
    }
  }
  return glob
}
