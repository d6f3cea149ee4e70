import { valueAt } from '../db/json-functions.ts'
import type { Cast } from './cast-column.ts'
import type { JsonPath } from './grammar/json-path.ts'
import type { Column, Row } from './resource.ts'
import { toTextTimestamp, toWireTimestamp } from './timestamp.ts'

/** One member of the rows of an answer. */
export interface OutputColumn {
  name: string
  column: Column
  path: JsonPath | null
  cast: Cast
}

/** As it stands in the answer's JSON. */
export function outputValue({ column, path, cast }: OutputColumn, row: Row): unknown {
  const value = followed(column, path, row)
  if (value === null || value === undefined) return null
  if (cast === 'integer') return value === true ? 1 : 0
  if (column.type === 'timestamp') return timestampText(String(value), cast)
  if (cast !== 'text') return value
  return typeof value === 'string' && (column.type !== 'json' || path?.asText)
    ? value
    : plainText(column, value)
}

/** As PostgreSQL prints it, for CSV; null for nothing. */
export function printedValue(output: OutputColumn, row: Row): string | null {
  const { column, cast } = output
  const value = outputValue(output, row)
  if (value === null) return null
  if (column.type === 'timestamp' && cast === null) return toTextTimestamp(String(row[column.name]))
  if (typeof value === 'boolean') return value ? 't' : 'f'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function followed(column: Column, path: JsonPath | null, row: Row): unknown {
  const value = row[column.name]
  if (path === null) return value
  const found = valueAt(value, path.keys)
  return path.asText && found !== null && found !== undefined && typeof found !== 'string'
    ? JSON.stringify(found)
    : found
}

function timestampText(iso: string, cast: Cast): string {
  if (cast === 'date') return iso.slice(0, 10)
  return cast === 'text' ? toTextTimestamp(iso) : toWireTimestamp(iso)
}

function plainText(column: Column, value: unknown): string {
  return column.type === 'json' ? JSON.stringify(value) : String(value)
}
