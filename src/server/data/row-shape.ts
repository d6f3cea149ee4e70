import type { SelectItem } from './grammar/query.ts'
import { protocolError, unknownColumn } from './protocol-errors.ts'
import { type Column, findReadable, type Resource, type Row, readableColumns } from './resource.ts'
import { toTextTimestamp, toWireTimestamp } from './timestamp.ts'

export interface OutputColumn {
  name: string
  column: Column
  asText: boolean
}

/** What a row looks like on the wire, made once per distinct query. */
export interface RowShape {
  outputs: readonly OutputColumn[]
  /**
   * Changes rows of the database into rows of the wire. `exact`: they hold the selected columns and no other, so that
   * they can be changed in place.
   */
  toWire(rows: Row[], exact: boolean): Row[]
}

const TEXT_CASTS = ['text', 'varchar']

export function shapeRows(resource: Resource, select: readonly SelectItem[] | null): RowShape {
  const outputs = (select ?? [{ kind: 'all' } as const]).flatMap((item) => resolveItem(resource, item))
  const timestamps = outputs
    .filter((output) => output.column.type === 'timestamp')
    .map((output) => output.name)
  const names = new Set(outputs.map((output) => output.name))
  const isPlain =
    names.size === outputs.length &&
    outputs.every((output) => output.name === output.column.name && !output.asText)
  return {
    outputs,
    toWire: (rows, exact) => (exact && isPlain ? formatInPlace(rows, timestamps) : project(rows, outputs)),
  }
}

function resolveItem(resource: Resource, item: SelectItem): OutputColumn[] {
  if (item.kind === 'all') {
    return readableColumns(resource).map((column) => ({ name: column.name, column, asText: false }))
  }
  const column = findReadable(resource, item.column)
  if (column === undefined) throw unknownColumn(resource.name, item.column)
  if (item.cast !== null && !TEXT_CASTS.includes(item.cast)) {
    throw protocolError(400, '42846', `cannot cast column ${column.name} to the requested type`)
  }
  return [{ name: item.alias ?? column.name, column, asText: item.cast !== null }]
}

/** The usual list is all columns under their own names: nothing is copied there but the times. */
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
    for (const { name, column, asText } of outputs) {
      const value = row[column.name]
      projected[name] = asText ? toText(column, value) : toJsonValue(column, value)
    }
    return projected
  })
}

function toJsonValue(column: Column, value: unknown): unknown {
  return column.type === 'timestamp' && typeof value === 'string' ? toWireTimestamp(value) : value
}

/** What `::text` gives. */
function toText(column: Column, value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (column.type === 'timestamp') return toTextTimestamp(String(value))
  return column.type === 'json' ? JSON.stringify(value) : String(value)
}
