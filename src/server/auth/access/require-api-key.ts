import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '#server/http/app-error.ts'
import type { AuthContext } from '../auth-context.ts'
import { readApiKey } from '../keys/read-api-key.ts'

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
  if ((await readApiKey(await keys.current(), apikey)) === null) throw refusal('Invalid API key')
}

function refusal(message: string): AppError {
  return new AppError(401, 'no_authorization', message, { headers: { 'www-authenticate': 'Bearer' } })
}
