import type { FastifyInstance, FastifyRequest } from 'fastify'
import { VERSION } from '../config.ts'
import { isAdministrator } from '../http/security/administrators.ts'
import { missingProof, protocolError } from './errors.ts'
import { type Column, type Resource, readableColumns, valuesOf } from './resource.ts'

/**
 * For programs that do not know the service yet: its description at the root, and functions, of which there are none.
 */
export function registerDescription(scope: FastifyInstance, resources: readonly Resource[]): void {
  const description = JSON.stringify(describeService(resources, 'Pórtico', VERSION))
  scope.route({
    method: ['GET', 'HEAD'],
    url: '/',
    handler: async (request, reply) => {
      const { caller } = request
      if (!isAdministrator(caller)) throw missingProof('the description', caller, request)
      return reply.header('content-type', 'application/openapi+json; charset=utf-8').send(description)
    },
  })
  scope.route<{ Params: { name: string } }>({
    method: ['GET', 'HEAD', 'POST'],
    url: '/rpc/:name',
    handler: async (request) => {
      const { caller } = request
      if (caller.kind === 'guest') throw missingProof('functions', caller, request)
      throw noFunction(request.params.name, request)
    },
  })
}

function noFunction(name: string, request: FastifyRequest) {
  const given = request.method === 'POST' ? request.body : request.query
  const names = given !== null && typeof given === 'object' ? Object.keys(given).sort() : []
  const signature = names.length === 0 ? `${name} without parameters` : `${name}(${names.join(', ')})`
  return protocolError(
    404,
    'PGRST202',
    `Could not find the function public.${signature} in the schema cache`,
    {
      details: 'There are no functions: tables alone are exposed.',
    },
  )
}

/** The resources as OpenAPI 2.0 (Swagger), like PostgREST. */
function describeService(resources: readonly Resource[], title: string, version: string): object {
  return {
    swagger: '2.0',
    info: { title, version, description: 'The data service, in the PostgREST protocol.' },
    basePath: '/rest/v1',
    consumes: ['application/json'],
    produces: ['application/json', 'application/vnd.pgrst.object+json', 'text/csv'],
    securityDefinitions: {
      apikey: { type: 'apiKey', in: 'header', name: 'apikey' },
      bearer: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Bearer KEY' },
    },
    security: [{ apikey: [], bearer: [] }],
    parameters: SHARED_PARAMETERS,
    paths: {
      '/': {
        get: {
          tags: ['Introspection'],
          summary: 'This description',
          produces: ['application/openapi+json'],
          responses: { 200: { description: 'OK' } },
        },
      },
      ...Object.fromEntries(resources.map((resource) => [`/${resource.name}`, describePaths(resource)])),
    },
    definitions: Object.fromEntries(resources.map((resource) => [resource.name, describeRow(resource)])),
  }
}

const text = (name: string, where: 'query' | 'header', description: string) => ({
  name,
  in: where,
  type: 'string',
  required: false,
  description,
})

const SHARED_PARAMETERS = {
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

/** The methods of one resource. */
function describePaths(resource: Resource): object {
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

const TYPES: Record<Column['type'], object> = {
  uuid: { type: 'string', format: 'uuid' },
  text: { type: 'string' },
  boolean: { type: 'boolean' },
  timestamp: { type: 'string', format: 'date-time' },
  json: {},
}

/** A row as read: columns that are never null are required, as in PostgREST. Write-only columns are listed too. */
function describeRow(resource: Resource): object {
  return describe(resource, resource.columns, ({ nullable, read }) => !nullable && read !== false)
}

/** The body of a `POST`: columns without an initial value are required. */
function describeNewRow(resource: Resource): object {
  return describe(resource, written(resource), ({ initial, nullable }) => initial === undefined && !nullable)
}

/** The body of a `PATCH`: any part of a row. */
function describeChange(resource: Resource): object {
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
