import type { FastifyInstance } from 'fastify'
import type { SecurityHeaders } from './security-headers.ts'

/** Applied in one place, to every answer of the framework: one response without its rule undoes all the others. */
export function registerSecurityHeaders(app: FastifyInstance, headers: SecurityHeaders): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const type = String(reply.getHeader('content-type') ?? '')
    const isPage = type.startsWith('text/html')
    if (isUnderAdmin(request.url))
      reply.headers(isPage ? headers.admin : { ...headers.other, 'cache-control': 'no-store' })
    else reply.headers(isPage ? headers.publicPage : headers.other)
    return payload
  })
  app.addHook('onResponse', async (request, reply) => {
    const line = {
      method: request.method,
      path: request.url.split('?')[0],
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    request.log.info(line, 'answered')
  })
}

function isUnderAdmin(url: string): boolean {
  return /^\/admin(\/|\?|$)/.test(url)
}
