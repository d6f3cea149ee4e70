import type { FastifyInstance, FastifyRequest } from 'fastify'
import { VERSION } from '#contract/version.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import { missingProof } from './missing-proof.ts'
import { describeService } from './openapi/describe-service.ts'
import { protocolError } from './protocol-errors.ts'
import type { Resource } from './resource.ts'

/** What a program asks that does not know the service yet: its description at the root, and functions, of which there are none. */
export function registerDescription(
  scope: FastifyInstance,
  resources: readonly Resource[],
  callerOf: (request: FastifyRequest) => Caller,
): void {
  const description = JSON.stringify(describeService(resources, 'Pórtico', VERSION))
  scope.route({
    method: ['GET', 'HEAD'],
    url: '/',
    handler: async (request, reply) => {
      const caller = callerOf(request)
      if (!isAdministrator(caller)) throw missingProof('the description', caller, request)
      return reply.header('content-type', 'application/openapi+json; charset=utf-8').send(description)
    },
  })
  scope.route<{ Params: { name: string } }>({
    method: ['GET', 'HEAD', 'POST'],
    url: '/rpc/:name',
    handler: async (request) => {
      const caller = callerOf(request)
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
