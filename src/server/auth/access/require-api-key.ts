import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '#server/http/app-error.ts'
import { forwardAddress } from '#server/http/client-address.ts'
import type { AuthContext } from '../auth-context.ts'
import { readApiKey, readBearer } from '../keys/read-api-key.ts'

/** The protocol's own name. */
const FORWARDED_FOR = 'sb-forwarded-for'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers without an API key, as the protocol's gateway does: always, or when the request is of that kind. */
    keyless?: boolean | ((request: FastifyRequest) => boolean)
  }
}

/** The protocol leaves this to the gateway in front of it; here there is none. */
export function requireApiKey(scope: FastifyInstance, context: AuthContext): void {
  scope.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const keyless = request.routeOptions.config?.keyless ?? false
    if (typeof keyless === 'function' ? keyless(request) : keyless) return
    await checkApiKey(context, request)
  })
}

/** For a route that reads the body before it knows whether a key is needed. */
export async function checkApiKey({ keys }: AuthContext, request: FastifyRequest): Promise<void> {
  const { apikey } = request.headers
  if (apikey === undefined) throw refusal('No API key found in request')
  const current = await keys.current()
  const role = await readApiKey(current, apikey)
  if (role === null) throw refusal('Invalid API key')
  const visitor = request.headers[FORWARDED_FOR]
  if (typeof visitor !== 'string') return
  // An integrator's server calls for many visitors; only its service key lets it say for whom.
  const bearer =
    role === 'service_role' ? role : await readApiKey(current, readBearer(request.headers.authorization))
  if (bearer === 'service_role') forwardAddress(request, visitor)
}

function refusal(message: string): AppError {
  return new AppError(401, 'no_authorization', message, { headers: { 'www-authenticate': 'Bearer' } })
}
