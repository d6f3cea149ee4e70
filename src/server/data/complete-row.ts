import { checkViolation, notNull } from './protocol-errors.ts'
import { type Column, type Resource, type Row, valuesOf } from './resource.ts'

/** A new row: what the client set, and the initial value of everything else. */
export function completeRow(resource: Resource, input: Row): Row {
  const row: Row = { ...input }
  for (const column of resource.columns) {
    if (Object.hasOwn(row, column.name) || isOptionalSecret(column)) continue
    row[column.name] = column.initial?.(row) ?? null
  }
  return checkRow(resource, row)
}

/** Normalises and judges a whole row. A write-only value that was not sent is not there to be judged. */
export function checkRow(resource: Resource, row: Row): Row {
  const checked: Row = { ...row }
  for (const column of resource.columns) {
    if (column.normalize === undefined || !Object.hasOwn(checked, column.name)) continue
    checked[column.name] = column.normalize(checked[column.name], checked)
  }
  for (const column of resource.columns) {
    if (!Object.hasOwn(checked, column.name)) continue
    const value = checked[column.name]
    const isMissing = value === null || value === undefined
    if (isMissing && column.nullable !== true) throw notNull(resource.name, column.name)
    const values = valuesOf(column)
    if (values !== null && !values.includes(String(value))) {
      const expected = `${column.name} must be one of ${values.join(', ')}`
      throw checkViolation(resource.name, `${resource.name}_${column.name}_check`, expected)
    }
    if (column.check !== undefined && !column.check.passes(value, checked)) {
      throw checkViolation(resource.name, column.check.constraint, column.check.expected)
    }
  }
  return checked
}

/** Not sent, it stays as it is: null would remove it. */
function isOptionalSecret({ read, nullable }: Column): boolean {
  return read === false && nullable === true
}
