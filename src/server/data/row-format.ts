import { valueAt } from '../db/engines/sqlite-connection.ts'
import { disarmFormulas } from '../http/requests.ts'
import { unknownColumn } from './errors.ts'
import type { JsonPath, SelectItem } from './grammar/query.ts'
import type { MediaType } from './request.ts'
import { type Column, findReadable, type Resource, type Row, readableColumns } from './resource.ts'
import { type Cast, castColumn, toTextTimestamp, toWireTimestamp } from './values.ts'
import { noArrow } from './where.ts'

/** Writes rows page by page: start, separator and end of the response. */
export interface RowFormat {
  open: string
  separator: string
  close: string
  page(rows: Row[]): string
}

/** A list. A single object is written by `formatObject`. */
export function listFormat(shape: RowShape, media: MediaType, exact: boolean): RowFormat {
  if (media.format === 'csv') {
    const header = shape.outputs.map((output) => csvField(output.name)).join(',')
    return { open: `${header}\n`, separator: '\n', close: '', page: (rows) => csvLines(shape, rows) }
  }
  const strip = media.stripNulls
  return {
    open: '[',
    separator: ',',
    close: ']',
    page: (rows) => JSON.stringify(stripped(shape.toWire(rows, exact), strip)).slice(1, -1),
  }
}

export function formatList(shape: RowShape, media: MediaType, rows: Row[], exact: boolean): string {
  if (media.format === 'array' && !media.stripNulls) return JSON.stringify(shape.toWire(rows, exact))
  const format = listFormat(shape, media, exact)
  return format.open + format.page(rows) + format.close
}

export function formatObject(shape: RowShape, media: MediaType, row: Row): string {
  return JSON.stringify(stripped(shape.toWire([row], false), media.stripNulls)[0])
}

function stripped(rows: Row[], strip: boolean): Row[] {
  if (!strip) return rows
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)))
}

function csvLines(shape: RowShape, rows: Row[]): string {
  return rows
    .map((row) => shape.outputs.map((output) => csvField(printedValue(output, row))).join(','))
    .join('\n')
}

/** Quoted as in RFC 4180, empty for null, and never a formula. */
function csvField(value: string | null): string {
  if (value === null) return ''
  const text = disarmFormulas(value)
  return text === '' || /[",\s]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The format of rows in responses, computed once per distinct query. */
export interface RowShape {
  outputs: readonly OutputColumn[]
  /**
   * Converts database rows for the response. `exact`: they contain only the selected columns, so that they can be
   * changed in place.
   */
  toWire(rows: Row[], exact: boolean): Row[]
}

export function shapeRows(resource: Resource, select: readonly SelectItem[] | null): RowShape {
  const outputs = (select ?? [{ kind: 'all' } as const]).flatMap((item) => resolveItem(resource, item))
  const timestamps = outputs
    .filter((output) => output.column.type === 'timestamp')
    .map((output) => output.name)
  const names = new Set(outputs.map((output) => output.name))
  const isPlain =
    names.size === outputs.length &&
    outputs.every(({ name, column, path, cast }) => name === column.name && path === null && cast === null)
  return {
    outputs,
    toWire: (rows, exact) => (exact && isPlain ? formatInPlace(rows, timestamps) : project(rows, outputs)),
  }
}

function resolveItem(resource: Resource, item: SelectItem): OutputColumn[] {
  if (item.kind === 'all') {
    return readableColumns(resource).map((column) => ({ name: column.name, column, path: null, cast: null }))
  }
  const { alias, path } = item
  const column = findReadable(resource, item.column)
  if (column === undefined) throw unknownColumn(resource.name, item.column)
  if (path !== null && column.type !== 'json') throw noArrow(column)
  const cast = castColumn(path?.asText ? { type: 'text' } : column, item.cast)
  // The protocol names a JSON value after the last key that is a name.
  const lastKey = path?.keys.findLast((key) => typeof key === 'string')
  return [{ name: alias ?? (lastKey === undefined ? column.name : String(lastKey)), column, path, cast }]
}

/** The common list has all columns under their own names: only times are copied. */
function formatInPlace(rows: Row[], timestamps: readonly string[]): Row[] {
  for (const row of rows) {
    for (const name of timestamps) {
      const value = row[name]
      if (typeof value === 'string') row[name] = toWireTimestamp(value)
    }
  }
  return rows
}

function project(rows: Row[], outputs: readonly OutputColumn[]): Row[] {
  return rows.map((row) => {
    const projected: Row = Object.create(null)
    for (const output of outputs) projected[output.name] = outputValue(output, row)
    return projected
  })
}

/** One column of a response. */
export interface OutputColumn {
  name: string
  column: Column
  path: JsonPath | null
  cast: Cast
}

/** The value in a JSON response. */
function outputValue({ column, path, cast }: OutputColumn, row: Row): unknown {
  const value = followed(column, path, row)
  if (value === null || value === undefined) return null
  if (cast === 'integer') return value === true ? 1 : 0
  if (column.type === 'timestamp') return timestampText(String(value), cast)
  if (cast !== 'text') return value
  return typeof value === 'string' && (column.type !== 'json' || path?.asText)
    ? value
    : plainText(column, value)
}

/** The value as PostgreSQL prints it, for CSV; null for nothing. */
function printedValue(output: OutputColumn, row: Row): string | null {
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
