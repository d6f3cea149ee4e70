import { protocolError } from '../protocol-errors.ts'
import { Cursor } from './cursor.ts'
import { splitPath } from './json-path.ts'
import type { SelectItem } from './query.ts'

const STOPS = ',:.()"'

/** `*`, `column`, `alias:column`, `column::cast`, `column->key`, joined by commas. */
export function parseSelect(text: string, resource: string): SelectItem[] | null {
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
