import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ClassOf } from './security-class.ts'
import { type Headers, headersOf, type SecurityHeaders } from './security-headers.ts'

/** Applied in one place, to every answer of the framework: one response without its rule undoes all the others. */
export function registerSecurityHeaders(
  app: FastifyInstance,
  headers: SecurityHeaders,
  classOf: ClassOf,
): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html')
    const securityClass = classOf(request)
    const chosen = headersOf(securityClass, isPage, headers)
    if (!hasAlready(reply, chosen)) reply.headers(chosen)
    const mayBeKept = securityClass !== 'service' || reply.hasHeader('cache-control')
    if (!mayBeKept) reply.header('cache-control', 'no-store')
    done(null, payload)
  })
}

/** The raw server begins every answer with the headers of what is no page, and a route may have set others since. */
function hasAlready(reply: FastifyReply, headers: Headers): boolean {
  for (const name in headers) if (reply.getHeader(name) !== headers[name]) return false
  return true
}
