import type { Resource } from '../resource.ts'
import { describePaths, SHARED_PARAMETERS } from './describe-paths.ts'
import { describeRow } from './describe-row.ts'

/** The resources as OpenAPI 2.0 (Swagger), which is what PostgREST gives and its integrations read. */
export function describeService(resources: readonly Resource[], title: string, version: string): object {
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
