import { type Column, type Resource, valuesOf } from '../resource.ts'

const TYPES: Record<Column['type'], object> = {
  uuid: { type: 'string', format: 'uuid' },
  text: { type: 'string' },
  boolean: { type: 'boolean' },
  timestamp: { type: 'string', format: 'date-time' },
  json: {},
}

/** A row as it is read: what it always has is required, as PostgREST says it. What can only be written is named too. */
export function describeRow(resource: Resource): object {
  return describe(resource, resource.columns, ({ nullable, read }) => !nullable && read !== false)
}

/** The body of a `POST`: what a new row cannot do without is required. */
export function describeNewRow(resource: Resource): object {
  return describe(resource, written(resource), ({ initial, nullable }) => initial === undefined && !nullable)
}

/** The body of a `PATCH`: any part of a row. */
export function describeChange(resource: Resource): object {
  return describe(resource, written(resource), () => false)
}

function written({ columns }: Resource): Column[] {
  return columns.filter(({ write }) => write !== 'maintained')
}

function describe(
  resource: Resource,
  columns: readonly Column[],
  isRequired: (column: Column) => boolean,
): object {
  const required = columns.filter(isRequired).map(({ name }) => name)
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(columns.map((column) => [column.name, describeColumn(resource, column)])),
  }
}

function describeColumn({ uniqueKeys }: Resource, column: Column): object {
  const [primary] = uniqueKeys
  const values = valuesOf(column)
  const notes = [
    ...(column.about === undefined ? [] : [column.about]),
    ...(primary?.columns.includes(column.name) ? ['This is a Primary Key.<pk/>'] : []),
    ...(column.check === undefined ? [] : [column.check.expected]),
    ...(column.read === false ? ['Write-only.'] : []),
  ]
  return {
    ...(column.document === undefined ? TYPES[column.type] : documentType(column.document)),
    ...(values === null ? {} : { enum: values }),
    ...(column.write === 'maintained' ? { readOnly: true } : {}),
    ...(column.nullable ? { 'x-nullable': true } : {}),
    ...(notes.length === 0 ? {} : { description: notes.join(' ') }),
  }
}

function documentType(document: 'array' | 'object'): object {
  return document === 'array'
    ? { type: 'array', items: { type: 'string' } }
    : { type: 'object', additionalProperties: { type: 'string' } }
}
