import type { FastifyInstance } from 'fastify'
import { AppError } from './app-error.ts'
import type { Target } from './canonical-target.ts'
import { requestTarget } from './request-target.ts'
import type { ClassOf, SecurityClass } from './security-class.ts'

/** Whose host a request names: without `ADMIN_URL` there is one for both. */
type HostKind = 'both' | 'public' | 'admin'

export type HostOf = (target: Target) => HostKind

export function createHostOf(adminUrl: string | null): HostOf {
  if (adminUrl === null) return () => 'both'
  const { host, protocol, port } = new URL(adminUrl)
  // RFC 9110, section 4.2.3: a client may name the default port.
  const names = [host, ...(port === '' ? [`${host}:${protocol === 'https:' ? 443 : 80}`] : [])]
  return (target) => (target.host !== null && names.includes(target.host) ? 'admin' : 'public')
}

/** With a host of its own, the dashboard answers there alone, and nothing else does. */
export function registerHostRule(app: FastifyInstance, hostOf: HostOf, classOf: ClassOf): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (answersOn(classOf(request), hostOf(requestTarget(request.raw)))) return done()
    done(new AppError(404, 'not_found', 'Not found', { headers: { 'cache-control': 'no-store' } }))
  })
}

function answersOn(securityClass: SecurityClass, host: HostKind): boolean {
  if (host === 'both' || securityClass === 'shared') return true
  return (securityClass === 'admin page' || securityClass === 'service') === (host === 'admin')
}
