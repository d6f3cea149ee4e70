import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../db/database.ts'
import { type Engine, engineOf } from '../db/dialect.ts'
import { type Callers, guardApi, isAdministrator } from '../http/security/administrators.ts'
import { deleteRows, insertRows, putRow, updateRows } from './change-rows.ts'
import { missingProof, nulInText, protocolError, renderDataErrors, unknownTable } from './errors.ts'
import { ListCache, LongAnswers, listRows } from './list-rows.ts'
import { registerDescription } from './openapi.ts'
import type { ReadPlan } from './read-plan.ts'
import { type Call, readCall } from './request.ts'
import type { Resource } from './resource.ts'

interface DataDeps {
  db: Db
  callers: Callers
  /** The dashboard's own origins. */
  origins: readonly string[]
  resources: readonly Resource[]
}

type Operation = (service: DataService, call: Call, reply: FastifyReply) => Promise<FastifyReply>

const OPERATIONS: Record<string, Operation> = {
  GET: listRows,
  HEAD: listRows,
  POST: insertRows,
  PATCH: updateRows,
  PUT: putRow,
  DELETE: deleteRows,
}

const METHODS = ['OPTIONS', ...Object.keys(OPERATIONS)]

/** The data service: the PostgREST protocol on the declared resources. */
export async function registerData(app: FastifyInstance, deps: DataDeps): Promise<DataService> {
  const resources = new Map(deps.resources.map((resource) => [resource.name, resource]))
  const service: DataService = {
    db: deps.db,
    recheck: deps.callers.recheck,
    engine: engineOf(deps.db),
    plans: new Map(),
    lists: new ListCache(),
    longAnswers: new LongAnswers(),
  }

  await app.register(
    async (scope) => {
      renderDataErrors(scope)
      scope.addHook('onRequest', async (_request, reply) => {
        reply.header('cache-control', 'no-store')
      })
      guardApi(scope, { origins: deps.origins, refuseNul: nulInText })
      scope.decorateRequest('caller')
      scope.addHook('onRequest', async (request) => {
        request.caller =
          request.method === 'OPTIONS' ? { kind: 'guest' } : await deps.callers.resolve(request)
      })
      registerDescription(scope, deps.resources)
      scope.route<{ Params: { table: string } }>({
        method: METHODS,
        url: '/:table',
        onRequest: async (request) => {
          const resource = findResource(resources, request.params.table)
          assertMayUse(resource, request)
        },
        handler: async (request, reply) => {
          const operation = OPERATIONS[request.method]
          if (operation === undefined) return reply.header('allow', METHODS.join(',')).send()
          const resource = findResource(resources, request.params.table)
          const call = readCall(request, resource)
          assertProfile(request)
          if (call.preferences.applied !== null) reply.header('preference-applied', call.preferences.applied)
          return operation(service, call, reply)
        },
      })
    },
    { prefix: '/rest/v1' },
  )
  return service
}

function findResource(resources: ReadonlyMap<string, Resource>, name: string): Resource {
  const resource = resources.get(name)
  if (resource === undefined) throw unknownTable(name)
  return resource
}

/** Only administrators; callers without any proof get 401. */
function assertMayUse(resource: Resource, request: FastifyRequest): void {
  const { caller } = request
  if (request.method === 'OPTIONS' || isAdministrator(caller)) return
  throw missingProof(`table ${resource.name}`, caller, request)
}

function assertProfile(request: FastifyRequest): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const profile = request.headers[isRead ? 'accept-profile' : 'content-profile']
  if (profile === undefined || profile === 'public') return
  throw protocolError(406, 'PGRST106', `Invalid schema: ${String(profile)}`, {
    hint: 'Only the following schemas are exposed: public',
  })
}

/** What every operation of the data service uses. */
export interface DataService {
  db: Db
  recheck: Callers['recheck']
  engine: Engine
  plans: Map<string, ReadPlan>
  lists: ListCache
  longAnswers: LongAnswers
}
