import { protocolError } from '../protocol-errors.ts'
import { Cursor } from './cursor.ts'
import { splitPath } from './json-path.ts'
import { parseArray } from './parse-array.ts'
import {
  COMPARISONS,
  CONTAINMENTS,
  type Comparison,
  type Condition,
  type Containment,
  IS_VALUES,
  type IsValue,
  QUANTIFIED,
  type Test,
} from './query.ts'

/** Deeper nesting serves nobody and would only spend the stack. */
const MAX_DEPTH = 20
/** The head of a group inside a group. */
const GROUP = /(not\.)?(and|or)(?=[ \t]*\()/y
const OPERATORS = `operator (${[...COMPARISONS, ...CONTAINMENTS, 'is', 'in'].join(', ')})`

/** The protocol's others, which the two engines do not share: whoever asks for one learns what to ask instead. */
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

/** `column=not.op.value`: the value is everything after the operator, as it stands. */
export function parseFilter(column: string, text: string): Condition {
  const cursor = new Cursor(text, 'filter')
  const negated = cursor.take('not.')
  const test = parseTest(cursor, () => cursor.takeRest())
  cursor.expectEnd()
  return { kind: 'comparison', ...splitPath(column), negated, test }
}

/** `or=(a.eq.1,not.and(b.gt.2,c.is.null))` */
export function parseLogic(operator: 'and' | 'or', negated: boolean, text: string): Condition {
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

/** Up to the next member; quotes and braces hold commas. */
function takeMemberValue(cursor: Cursor): string {
  if (cursor.peek() === '"') return cursor.takeQuoted()
  return cursor.peek() === '{' ? cursor.takeBraced() : cursor.takeUntil(',)')
}
