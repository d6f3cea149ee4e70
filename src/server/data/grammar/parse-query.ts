import { protocolError, rangeNotSatisfiable } from '../protocol-errors.ts'
import { Cursor } from './cursor.ts'
import { parseFilter, parseLogic } from './parse-filter.ts'
import { parseOrder } from './parse-order.ts'
import { parseSelect } from './parse-select.ts'
import type { Query } from './query.ts'

/** More filters than this in one request are an attack on the parser, not a question. */
const MAX_PARAMETERS = 200

/** Reads the part of the address after `?`. Every name that is not the grammar's own is a column to filter by. */
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

/** A dot would address an embedded resource, and there are none. */
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
