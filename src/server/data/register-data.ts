import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { engineOf } from '../db/column-types.ts'
import type { Db } from '../db/database.ts'
import type { AdminAccess, Recheck } from '../http/admin-request.ts'
import { guardApi } from '../http/api-guard.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import { deleteRows, updateRows } from './change-rows.ts'
import { type Call, type DataService, readCall } from './data-service.ts'
import { insertRows, putRow } from './insert-rows.ts'
import { ListCache } from './list-cache.ts'
import { listRows } from './list-rows.ts'
import { LongAnswers } from './long-answers.ts'
import { missingProof } from './missing-proof.ts'
import { nulInText, protocolError, unknownTable } from './protocol-errors.ts'
import { registerDescription } from './register-description.ts'
import { renderDataErrors } from './render-errors.ts'
import type { Resource } from './resource.ts'

export interface DataDeps extends AdminAccess {
  db: Db
  recheck: Recheck
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
    recheck: deps.recheck,
    engine: engineOf(deps.db),
    plans: new Map(),
    lists: new ListCache(),
    longAnswers: new LongAnswers(),
  }

  await app.register(
    async (scope) => {
      renderDataErrors(scope)
      const callers = new WeakMap<FastifyRequest, Caller>()
      scope.addHook('onRequest', async (_request, reply) => {
        reply.header('cache-control', 'no-store')
      })
      guardApi(scope, { origins: deps.origins, refuseNul: nulInText })
      scope.addHook('onRequest', async (request) => {
        if (request.method !== 'OPTIONS') callers.set(request, await deps.identify(request))
      })
      const callerOf = (request: FastifyRequest) => callers.get(request) ?? { kind: 'guest' as const }
      registerDescription(scope, deps.resources, callerOf)
      scope.route<{ Params: { table: string } }>({
        method: METHODS,
        url: '/:table',
        onRequest: async (request) => {
          const resource = findResource(resources, request.params.table)
          assertMayUse(resource, callerOf(request), request)
        },
        handler: async (request, reply) => {
          const operation = OPERATIONS[request.method]
          if (operation === undefined) return reply.header('allow', METHODS.join(',')).send()
          const resource = findResource(resources, request.params.table)
          const call = readCall(request, resource, callerOf(request))
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

/** Nobody without a proof of being an administrator; whoever has brought none at all is told to authenticate. */
function assertMayUse(resource: Resource, caller: Caller, request: FastifyRequest): void {
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
