import { type Resource, readableColumns } from '../resource.ts'
import { describeChange, describeNewRow } from './describe-row.ts'

const text = (name: string, where: 'query' | 'header', description: string) => ({
  name,
  in: where,
  type: 'string',
  required: false,
  description,
})

export const SHARED_PARAMETERS = {
  select: text('select', 'query', 'Columns, renamed (alias:column), cast (column::text)'),
  order: text('order', 'query', 'column.asc or column.desc, joined by commas'),
  limit: text('limit', 'query', 'At most so many rows'),
  offset: text('offset', 'query', 'Leaving out so many rows first'),
  on_conflict: text('on_conflict', 'query', 'The unique columns by which an upsert finds a row'),
  prefer: text(
    'Prefer',
    'header',
    'return=representation, count=exact, resolution=merge-duplicates, tx=rollback',
  ),
}

const shared = (...names: (keyof typeof SHARED_PARAMETERS)[]) =>
  names.map((name) => ({ $ref: `#/parameters/${name}` }))

/** What each method of one resource takes and gives. */
export function describePaths(resource: Resource): object {
  const row = { $ref: `#/definitions/${resource.name}` }
  const body = (schema: object) => ({ name: resource.name, in: 'body', schema })
  const filters = readableColumns(resource).map(({ name }) =>
    text(name, 'query', 'A filter, such as eq.value or in.(a,b)'),
  )
  const tags = [resource.name]
  const empty = { description: 'No Content' }
  return {
    get: {
      tags,
      parameters: [...filters, ...shared('select', 'order', 'limit', 'offset', 'prefer')],
      responses: {
        200: { description: 'OK', schema: { type: 'array', items: row } },
        206: { description: 'Partial Content' },
      },
    },
    post: {
      tags,
      parameters: [body(describeNewRow(resource)), ...shared('select', 'on_conflict', 'prefer')],
      responses: { 201: { description: 'Created' } },
    },
    patch: {
      tags,
      parameters: [body(describeChange(resource)), ...filters, ...shared('prefer')],
      responses: { 204: empty },
    },
    delete: { tags, parameters: [...filters, ...shared('prefer')], responses: { 204: empty } },
  }
}
