import type { FastifyInstance } from 'fastify'
import type { ClassOf } from './security-class.ts'
import { headersOf, type SecurityHeaders } from './security-headers.ts'

/** Applied in one place, to every answer of the framework: one response without its rule undoes all the others. */
export function registerSecurityHeaders(
  app: FastifyInstance,
  headers: SecurityHeaders,
  classOf: ClassOf,
): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html')
    const securityClass = classOf(request)
    reply.headers(headersOf(securityClass, isPage, headers))
    const mayBeKept = securityClass !== 'service' || reply.hasHeader('cache-control')
    if (!mayBeKept) reply.header('cache-control', 'no-store')
    return payload
  })
}
