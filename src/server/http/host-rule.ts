import type { FastifyInstance } from 'fastify'
import type { Target } from './canonical-target.ts'
import { requestTarget } from './request-target.ts'
import type { ClassOf, SecurityClass } from './security-class.ts'

/** Whose host a request names: without `ADMIN_URL` there is one for both. */
type HostKind = 'both' | 'public' | 'admin'

export type HostOf = (target: Target) => HostKind

export function createHostOf(adminUrl: string | null): HostOf {
  if (adminUrl === null) return () => 'both'
  const adminHost = new URL(adminUrl).host
  return (target) => (target.host === adminHost ? 'admin' : 'public')
}

/** With a host of its own, the dashboard answers there alone, and nothing else does. */
export function registerHostRule(app: FastifyInstance, hostOf: HostOf, classOf: ClassOf): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (answersOn(classOf(request), hostOf(requestTarget(request.raw)))) return done()
    reply.code(404).header('cache-control', 'no-store').send()
  })
}

function answersOn(securityClass: SecurityClass, host: HostKind): boolean {
  if (host === 'both' || securityClass === 'shared') return true
  return (securityClass === 'admin page' || securityClass === 'service') === (host === 'admin')
}
