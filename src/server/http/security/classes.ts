import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { findRequestTarget, requestTarget, type Target } from '../sockets/raw-server.ts'

/** Whose host a request names: without `ADMIN_URL` both share one. */
type HostKind = 'both' | 'public' | 'admin'

export type HostOf = (target: Target) => HostKind

export function createHostOf(adminUrl: string | null): HostOf {
  if (adminUrl === null) return () => 'both'
  const { host, protocol, port } = new URL(adminUrl)
  // RFC 9110, section 4.2.3: a client may name the default port.
  const names = [host, ...(port === '' ? [`${host}:${protocol === 'https:' ? 443 : 80}`] : [])]
  return (target) => (target.host !== null && names.includes(target.host) ? 'admin' : 'public')
}

/** With its own host, the dashboard answers only there, and nothing else does. */
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

/**
 * What a response may be, and on which host. It belongs to the scope in which a route is registered:
 * - `admin page`: the dashboard's document, on the dashboard's host;
 * - `service`: for the dashboard and keys, on the dashboard's host; never a document;
 * - `public page`: pages for visitors, on the public host;
 * - `other`: what the public page calls, on the public host; never a document;
 * - `shared`: on both hosts, such as built files and health checks; never a document.
 */
export type SecurityClass = 'admin page' | 'service' | 'public page' | 'other' | 'shared'

export type ClassOf = (request: FastifyRequest) => SecurityClass

const SCOPE_CLASS = Symbol('security class of a scope')

declare module 'fastify' {
  interface FastifyInstance {
    /** Nested scopes inherit it. */
    [SCOPE_CLASS]?: SecurityClass
  }
  interface FastifyContextConfig {
    securityClass?: SecurityClass
  }
}

/** Routes registered inside `register` get this class. */
export async function inSecurityClass(
  app: FastifyInstance,
  securityClass: SecurityClass,
  register: (scope: FastifyInstance) => void | Promise<void>,
): Promise<void> {
  await app.register(async (scope) => {
    scope[SCOPE_CLASS] = securityClass
    await register(scope)
  })
}

/** From here on a route without a class fails the start. Returns the function that finds a request's class. */
export function registerSecurityClasses(app: FastifyInstance): ClassOf {
  const firstSegments = new Map<string, SecurityClass>()
  app.addHook('onRoute', function (route) {
    const securityClass = this[SCOPE_CLASS]
    if (securityClass === undefined)
      throw new Error(`${route.method} ${route.url} is registered in a scope without a security class`)
    route.config = { ...route.config, securityClass }
    const segment = firstSegment(route.url)
    firstSegments.set(segment, ofUnknownPaths(firstSegments.get(segment), securityClass))
  })
  return (request) => {
    const known = request.routeOptions.config?.securityClass
    if (known !== undefined && !request.is404) return known
    const target = findRequestTarget(request.raw)
    if (target === null) return 'other'
    return firstSegments.get(firstSegment(target.path)) ?? 'public page'
  }
}

/** An unknown path beside our routes is no page, and belongs to the dashboard if one of those does. */
function ofUnknownPaths(sofar: SecurityClass | undefined, added: SecurityClass): SecurityClass {
  const isDashboard = [sofar, added].some((each) => each === 'admin page' || each === 'service')
  if (isDashboard) return 'service'
  return sofar === 'other' || added !== 'shared' ? 'other' : 'shared'
}

function firstSegment(path: string): string {
  return (path.split('/', 2)[1] ?? '').toLowerCase()
}
