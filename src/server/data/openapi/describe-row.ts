import type { Column, Resource } from '../resource.ts'

const TYPES: Record<Column['type'], object> = {
  uuid: { type: 'string', format: 'uuid' },
  text: { type: 'string' },
  boolean: { type: 'boolean' },
  timestamp: { type: 'string', format: 'date-time' },
  json: {},
}

export function describeRow(resource: Resource): object {
  const required = resource.columns
    .filter(({ initial, nullable, readable }) => initial === undefined && !nullable && readable !== false)
    .map(({ name }) => name)
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(
      resource.columns.map((column) => [column.name, describeColumn(resource, column)]),
    ),
  }
}

function describeColumn({ uniqueKeys }: Resource, column: Column): object {
  const [primary] = uniqueKeys
  const notes = [
    ...(primary?.columns.includes(column.name) ? ['This is a Primary Key.<pk/>'] : []),
    ...(column.check === undefined ? [] : [column.check.expected]),
    ...(column.readable === false ? ['Write-only.'] : []),
  ]
  return {
    ...(column.document === undefined ? TYPES[column.type] : documentType(column.document)),
    ...(column.writable === 'maintained' ? { readOnly: true } : {}),
    ...(column.nullable ? { 'x-nullable': true } : {}),
    ...(notes.length === 0 ? {} : { description: notes.join(' ') }),
  }
}

function documentType(document: 'array' | 'object'): object {
  return document === 'array'
    ? { type: 'array', items: { type: 'string' } }
    : { type: 'object', additionalProperties: { type: 'string' } }
}
