import { castColumn } from './cast-column.ts'
import type { SelectItem } from './grammar/query.ts'
import { noArrow } from './operand.ts'
import { type OutputColumn, outputValue } from './output-value.ts'
import { unknownColumn } from './protocol-errors.ts'
import { findReadable, type Resource, type Row, readableColumns } from './resource.ts'
import { toWireTimestamp } from './timestamp.ts'

/** What a row looks like on the wire, made once per distinct query. */
export interface RowShape {
  outputs: readonly OutputColumn[]
  /**
   * Changes rows of the database into rows of the wire. `exact`: they hold the selected columns and no other, so that
   * they can be changed in place.
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
  // The protocol names a value of a document after the last key that is a name.
  const lastKey = path?.keys.findLast((key) => typeof key === 'string')
  return [{ name: alias ?? (lastKey === undefined ? column.name : String(lastKey)), column, path, cast }]
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
    for (const output of outputs) projected[output.name] = outputValue(output, row)
    return projected
  })
}
