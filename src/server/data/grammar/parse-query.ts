import { protocolError, rangeNotSatisfiable } from '../errors.ts'
import { Cursor, parseArray } from './cursor.ts'
import {
  COMPARISONS,
  CONTAINMENTS,
  type Comparison,
  type Condition,
  type Containment,
  IS_VALUES,
  type IsValue,
  type OrderItem,
  QUANTIFIED,
  type Query,
  type SelectItem,
  splitPath,
  type Test,
} from './query.ts'

/** More filters than this are an attack on the parser. */
const MAX_PARAMETERS = 200

/** Parses the query string. Every name that is not a keyword is a column filter. */
export function parseQuery(search: string, resource: string): Query {
  const query: Query = {
    select: null,
    where: [],
    order: [],
    limit: null,
    offset: 0,
    columns: null,
    onConflict: null,
  }
  let count = 0
  for (const [name, value] of new URLSearchParams(search)) {
    if (++count > MAX_PARAMETERS) throw protocolError(400, 'PGRST100', 'too many query parameters')
    readParameter(query, name, value, resource)
  }
  return query
}

function readParameter(query: Query, name: string, value: string, resource: string): void {
  switch (name) {
    case 'select':
      query.select = parseSelect(value, resource)
      return
    case 'order':
      query.order = value === '' ? [] : parseOrder(value)
      return
    case 'limit':
      query.limit = parseInteger(value, 'limit')
      return
    case 'offset':
      query.offset = parseInteger(value, 'offset')
      return
    case 'columns':
      query.columns = parseNames(value, 'columns')
      return
    case 'on_conflict':
      query.onConflict = parseNames(value, 'on_conflict')
      return
    case 'and':
    case 'or':
      query.where.push(parseLogic(name, false, value))
      return
    case 'not.and':
    case 'not.or':
      query.where.push(parseLogic(name === 'not.or' ? 'or' : 'and', true, value))
      return
    default:
      query.where.push(parseFilter(parseFilterColumn(name), value))
  }
}

/** A dot would mean an embedded resource; there are none. */
function parseFilterColumn(name: string): string {
  const cursor = new Cursor(name, 'filter')
  const column = cursor.takeName('.')
  if (cursor.peek() === '.') {
    throw protocolError(400, 'PGRST108', `'${column}' is not an embedded resource in this request`)
  }
  return column
}

function parseInteger(text: string, what: string): number {
  if (/^-\d+$/.test(text)) throw rangeNotSatisfiable(`${what} should be greater than or equal to zero.`)
  if (!/^\d{1,15}$/.test(text)) throw new Cursor(text, what).fault('an integer')
  return Number(text)
}

function parseNames(text: string, what: string): string[] {
  const cursor = new Cursor(text, `${what} parameter`)
  const names: string[] = []
  do names.push(cursor.takeName(',"'))
  while (cursor.take(','))
  cursor.expectEnd()
  return names
}

/** Deeper nesting is useless and would exhaust the stack. */
const MAX_DEPTH = 20

/** Start of a nested group. */
const GROUP = /(not\.)?(and|or)(?=[ \t]*\()/y

const OPERATORS = `operator (${[...COMPARISONS, ...CONTAINMENTS, 'is', 'in'].join(', ')})`

/** Operators of the protocol that differ between the engines, with their alternative. */
const NOT_OFFERED: Record<string, string> = {
  match: 'Regular expressions are not offered. Use like or ilike.',
  imatch: 'Regular expressions are not offered. Use ilike.',
  fts: 'Full-text search is not offered. Use ilike.',
  plfts: 'Full-text search is not offered. Use ilike.',
  phfts: 'Full-text search is not offered. Use ilike.',
  wfts: 'Full-text search is not offered. Use ilike.',
  sl: 'No column here is a range.',
  sr: 'No column here is a range.',
  nxl: 'No column here is a range.',
  nxr: 'No column here is a range.',
  adj: 'No column here is a range.',
}

/** `column=not.op.value`: the value is everything after the operator. */
function parseFilter(column: string, text: string): Condition {
  const cursor = new Cursor(text, 'filter')
  const negated = cursor.take('not.')
  const test = parseTest(cursor, () => cursor.takeRest())
  cursor.expectEnd()
  return { kind: 'comparison', ...splitPath(column), negated, test }
}

/** `or=(a.eq.1,not.and(b.gt.2,c.is.null))` */
function parseLogic(operator: 'and' | 'or', negated: boolean, text: string): Condition {
  const cursor = new Cursor(text, 'logic tree')
  const conditions = parseGroup(cursor, 1)
  cursor.expectEnd()
  return { kind: 'group', operator, negated, conditions }
}

function parseGroup(cursor: Cursor, depth: number): Condition[] {
  if (depth > MAX_DEPTH) throw cursor.fault(`at most ${MAX_DEPTH} levels`)
  cursor.expectSpaced('(')
  const conditions: Condition[] = []
  do conditions.push(parseMember(cursor, depth))
  while (cursor.takeSpaced(','))
  cursor.expectSpaced(')')
  return conditions
}

function parseMember(cursor: Cursor, depth: number): Condition {
  const group = cursor.takeMatch(GROUP)
  if (group !== null) {
    const operator = group[2] as 'and' | 'or'
    const negated = group[1] !== undefined
    return { kind: 'group', operator, negated, conditions: parseGroup(cursor, depth + 1) }
  }
  const name = splitPath(cursor.takeName('.,()"'))
  cursor.expect('.')
  const negated = cursor.take('not.')
  const test = parseTest(cursor, () => takeMemberValue(cursor))
  return { kind: 'comparison', ...name, negated, test }
}

function parseTest(cursor: Cursor, takeValue: () => string): Test {
  const word = cursor.takeUntil('.(,)')
  refuseNotOffered(word)
  if (!isOperator(word)) throw cursor.fault(OPERATORS)
  const quantifier = QUANTIFIED.includes(word as Comparison) ? takeQuantifier(cursor) : null
  cursor.expect('.')
  if (word === 'in') return { operator: 'in', values: parseList(cursor) }
  const value = takeValue()
  if (quantifier !== null) {
    const values = parseArray(value, 'filter')
    return { operator: 'quantified', comparison: word as Comparison, quantifier, values }
  }
  if (word !== 'is') return { operator: word, value }
  const wanted = value.trimEnd().toLowerCase() as IsValue
  if (!IS_VALUES.includes(wanted)) throw cursor.fault('null, not_null, true, false or unknown')
  return { operator: 'is', value: wanted }
}

function refuseNotOffered(word: string): void {
  if (!Object.hasOwn(NOT_OFFERED, word)) return
  throw protocolError(400, '0A000', `operator ${word} is not supported`, { hint: NOT_OFFERED[word] ?? null })
}

function takeQuantifier(cursor: Cursor): 'any' | 'all' | null {
  if (cursor.take('(any)')) return 'any'
  return cursor.take('(all)') ? 'all' : null
}

function isOperator(word: string): word is Comparison | Containment | 'is' | 'in' {
  return [...COMPARISONS, ...CONTAINMENTS, 'is', 'in'].includes(word)
}

function parseList(cursor: Cursor): string[] {
  cursor.expectSpaced('(')
  if (cursor.takeSpaced(')')) return []
  const values: string[] = []
  do values.push(takeMemberValue(cursor))
  while (cursor.take(','))
  cursor.expectSpaced(')')
  return values
}

/** Up to the next member; quotes and braces may contain commas. */
function takeMemberValue(cursor: Cursor): string {
  if (cursor.peek() === '"') return cursor.takeQuoted()
  return cursor.peek() === '{' ? cursor.takeBraced() : cursor.takeUntil(',)')
}

/** `column.desc.nullslast`, separated by commas. */
function parseOrder(text: string): OrderItem[] {
  const cursor = new Cursor(text, 'order')
  const items: OrderItem[] = []
  do items.push(parseOrderItem(cursor))
  while (cursor.take(','))
  cursor.expectEnd()
  return items
}

function parseOrderItem(cursor: Cursor): OrderItem {
  const item: OrderItem = { ...splitPath(cursor.takeName('.,()"')), descending: false, nulls: null }
  let hasDirection = false
  while (cursor.take('.')) {
    const word = cursor.takeUntil('.,')
    if (!hasDirection && item.nulls === null && (word === 'asc' || word === 'desc')) {
      item.descending = word === 'desc'
      hasDirection = true
    } else if (item.nulls === null && (word === 'nullsfirst' || word === 'nullslast')) {
      item.nulls = word === 'nullsfirst' ? 'first' : 'last'
    } else throw cursor.fault('"asc", "desc", "nullsfirst" or "nullslast"')
  }
  return item
}

const STOPS = ',:.()"'

/** `*`, `column`, `alias:column`, `column::cast`, `column->key`, separated by commas. */
function parseSelect(text: string, resource: string): SelectItem[] | null {
  if (text.trim() === '' || text === '*') return null
  const cursor = new Cursor(text, 'select parameter')
  const items: SelectItem[] = []
  do items.push(parseItem(cursor, resource))
  while (cursor.take(','))
  cursor.expectEnd()
  return items
}

function parseItem(cursor: Cursor, resource: string): SelectItem {
  if (cursor.take('*')) return { kind: 'all' }
  if (cursor.take('...')) throw noRelationship(resource, cursor.takeName(STOPS))
  let column = cursor.takeName(STOPS)
  let alias: string | null = null
  let cast: string | null = null
  if (cursor.take('::')) cast = cursor.takeName(STOPS)
  else if (cursor.take(':')) {
    alias = column
    column = cursor.takeName(STOPS)
    if (cursor.take('::')) cast = cursor.takeName(STOPS)
  }
  if (cursor.peek() === '(') {
    if (column === 'count') throw noAggregates()
    throw noRelationship(resource, column)
  }
  if (cursor.peek() === '.') throw noAggregates()
  return { kind: 'column', ...splitPath(column), alias, cast }
}

const noRelationship = (resource: string, other: string) =>
  protocolError(
    400,
    'PGRST200',
    `Could not find a relationship between '${resource}' and '${other}' in the schema cache`,
  )

const noAggregates = () => protocolError(400, 'PGRST123', 'Use of aggregate functions is not allowed')
