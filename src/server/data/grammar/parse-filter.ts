import { Cursor } from './cursor.ts'
import { COMPARISONS, type Comparison, type Condition, IS_VALUES, type IsValue, type Test } from './query.ts'

/** Deeper nesting serves nobody and would only spend the stack. */
const MAX_DEPTH = 20

const OPERATORS = 'operator (eq, neq, gt, gte, lt, lte, like, ilike, isdistinct, is, in)'

/** `column=not.op.value`: the value is everything after the operator, as it stands. */
export function parseFilter(column: string, text: string): Condition {
  const cursor = new Cursor(text, 'filter')
  const negated = cursor.take('not.')
  const test = parseTest(cursor, () => cursor.takeRest())
  cursor.expectEnd()
  return { kind: 'comparison', column, negated, test }
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
  cursor.expect('(')
  const conditions: Condition[] = []
  do conditions.push(parseMember(cursor, depth))
  while (cursor.take(','))
  cursor.expect(')')
  return conditions
}

function parseMember(cursor: Cursor, depth: number): Condition {
  for (const operator of ['and', 'or'] as const) {
    for (const negated of [false, true]) {
      if (!cursor.take(`${negated ? 'not.' : ''}${operator}(`)) continue
      cursor.stepBack()
      return { kind: 'group', operator, negated, conditions: parseGroup(cursor, depth + 1) }
    }
  }
  const column = cursor.takeName('.,()"')
  cursor.expect('.')
  const negated = cursor.take('not.')
  const test = parseTest(cursor, () => takeMemberValue(cursor))
  return { kind: 'comparison', column, negated, test }
}

function parseTest(cursor: Cursor, takeValue: () => string): Test {
  const word = cursor.takeUntil('.(,)')
  if (!isOperator(word)) throw cursor.fault(OPERATORS)
  cursor.expect('.')
  if (word === 'in') return { operator: 'in', values: parseList(cursor) }
  const value = takeValue()
  if (word !== 'is') return { operator: word, value }
  const wanted = value.toLowerCase() as IsValue
  if (!IS_VALUES.includes(wanted)) throw cursor.fault('null, not_null, true, false or unknown')
  return { operator: 'is', value: wanted }
}

function isOperator(word: string): word is Comparison | 'is' | 'in' {
  return word === 'is' || word === 'in' || COMPARISONS.includes(word as Comparison)
}

function parseList(cursor: Cursor): string[] {
  cursor.expect('(')
  if (cursor.take(')')) return []
  const values: string[] = []
  do values.push(takeMemberValue(cursor))
  while (cursor.take(','))
  cursor.expect(')')
  return values
}

function takeMemberValue(cursor: Cursor): string {
  return cursor.peek() === '"' ? cursor.takeQuoted() : cursor.takeUntil(',)')
}
