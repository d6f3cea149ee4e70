import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Engine } from '../db/column-types.ts'
import { parseText } from './column-values.ts'
import { parseArray } from './grammar/parse-array.ts'
import type { Containment } from './grammar/query.ts'
import { noOperator, type Operand, typeName } from './operand.ts'
import type { DynamicSchema } from './resource.ts'

const SYMBOLS = { cs: '@>', cd: '<@', ov: '&&' } as const

const eb = expressionBuilder<DynamicSchema, string>()

/** `cs`, `cd` and `ov`. The clients write an array as `{a,b}` and an object as JSON; an array as JSON is taken, too. */
export function buildContainment(
  engine: Engine,
  { column, expression }: Operand,
  operator: Containment,
  text: string,
): Expression<SqlBool> {
  const missing = () =>
    noOperator(`operator does not exist: ${typeName(column)} ${SYMBOLS[operator]} unknown`)
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
