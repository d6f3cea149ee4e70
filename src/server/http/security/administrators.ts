import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Db } from '#server/db/database.ts'
import { change } from '#server/db/transactions/change.ts'
import { AppError } from '../errors.ts'

/** Resolves callers; supplied by the auth module. */
export interface Callers {
  /** By API key and bearer token. Throws a 401 for an invalid bearer token. */
  resolve(request: FastifyRequest): Promise<Caller>
  /** The same inside the writing transaction: a person removed, banned or signed out meanwhile writes nothing. */
  recheck(trx: Db, caller: Caller): Promise<Caller>
}

interface Access {
  /** Only people with an admin role. */
  role: boolean
  /** Only sessions that have shown the second factor, if the person has one. */
  secondFactor: boolean
  /** Also service keys. */
  serviceKey: boolean
}

const ADMINISTRATOR: Access = { role: true, secondFactor: true, serviceKey: true }
const PERSON: Access = { ...ADMINISTRATOR, serviceKey: false }
const OWN_ACCOUNT: Access = { ...PERSON, role: false }
const OWN_ACCOUNT_BEFORE_SECOND_FACTOR: Access = { ...OWN_ACCOUNT, secondFactor: false }

/** Every other route of `/admin/api` is for administrators. */
export const ADMIN_API_EXCEPTIONS: Readonly<Record<string, Access>> = {
  // A key has no mailbox.
  'GET /admin/api/alerts': PERSON,
  'PUT /admin/api/alerts': PERSON,
  'GET /admin/api/logins': OWN_ACCOUNT,
  'DELETE /admin/api/logins/:id': OWN_ACCOUNT,
  'GET /admin/api/recovery-codes': OWN_ACCOUNT,
  'POST /admin/api/recovery-codes': OWN_ACCOUNT,
  'POST /admin/api/recovery-codes/use': OWN_ACCOUNT_BEFORE_SECOND_FACTOR,
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set in the scopes of `/admin/api` and `/rest/v1`. */
    caller: Caller
    /** Set in the scope of `/admin/api`. */
    change: ChangeAsCaller
  }
}

/**
 * The one way in which a route of `/admin/api` writes: a transaction that first asks again whether the caller may still do
 * this. Somebody who lost the role or was signed out since the request was admitted writes nothing.
 * @example
 * await request.change(db, (trx, actor) => setPaused(trx, actor, paused))
 */
export type ChangeAsCaller = <T>(db: Db, work: (trx: Db, actor: Actor) => Promise<T>) => Promise<T>

/** The same for a command, which nobody has to admit. */
export const changeAsOperator: ChangeAsCaller = (db, work) => change(db, (trx) => work(trx, OPERATOR_ACTOR))

interface AdminApiOptions {
  callers: Callers
  /** The dashboard's own origins: browsers may call only from these. */
  origins: readonly string[]
  exceptions?: Readonly<Record<string, Access>>
}

/**
 * The one scope of all `/admin/api` routes. Modules register their routes on it; the caller is checked here, before a
 * handler runs, and is in `request.caller`.
 */
export async function registerAdminApi(
  app: FastifyInstance,
  { callers, origins, exceptions = ADMIN_API_EXCEPTIONS }: AdminApiOptions,
  modules: readonly ((scope: FastifyInstance) => void | Promise<void>)[],
): Promise<void> {
  await app.register(async (scope) => {
    const unused = new Set(Object.keys(exceptions))
    scope.addHook('onRoute', ({ method, url }) => {
      if (!url.startsWith('/admin/api/')) throw new Error(`${method} ${url} is no route of /admin/api`)
      unused.delete(`${method} ${url}`)
    })
    guardApi(scope, { origins })
    scope.decorateRequest('caller')
    scope.decorateRequest('change')
    scope.addHook('onRequest', async (request) => {
      const method = request.method === 'HEAD' ? 'GET' : request.method
      const access = exceptions[`${method} ${request.routeOptions.url}`] ?? ADMINISTRATOR
      request.caller = admit(await callers.resolve(request), access)
      request.change = (db, work) =>
        change(db, async (trx) =>
          work(trx, auditActor(admit(await callers.recheck(trx, request.caller), access))),
        )
    })
    for (const register of modules) await register(scope)
    if (unused.size > 0) throw new Error(`there is no route ${[...unused].join(', ')}`)
  })
}

function admit(caller: Caller, access: Access): Caller {
  if (caller.kind === 'guest' || caller.kind === 'anon')
    throw new AppError(401, 'unauthorized', 'Entre no painel para continuar.', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  if (caller.kind === 'service') {
    if (access.serviceKey) return caller
    throw new AppError(403, 'forbidden', 'Só uma pessoa pode fazer isso, não uma chave de serviço.')
  }
  if (access.role && caller.role === null)
    throw new AppError(403, 'forbidden', 'Sua conta não tem acesso ao painel. Fale com um administrador.')
  if (access.secondFactor && caller.needsSecondFactor)
    throw new AppError(
      403,
      'insufficient_aal',
      'Para fazer isso, entre novamente com a verificação em duas etapas.',
    )
  return caller
}

/** The person who calls a route that accepts no key. */
export function requestPerson({ caller }: FastifyRequest): Extract<Caller, { kind: 'user' }> {
  if (caller.kind !== 'user') throw new Error('a route for people accepts a key')
  return caller
}

export function pathId(request: FastifyRequest): string {
  const parsed = z.uuid().safeParse((request.params as { id?: string }).id)
  if (!parsed.success) throw new AppError(404, 'not_found', 'Este item não existe mais. Recarregue a página.')
  return parsed.data
}

/** A missing body counts as an empty one. */
export function readBody<Schema extends z.ZodMiniType>(
  schema: Schema,
  request: FastifyRequest,
): z.output<Schema> {
  const parsed = schema.safeParse(request.body ?? {})
  if (!parsed.success)
    throw new AppError(
      400,
      'bad_request',
      'O painel enviou dados que o servidor não aceita. Recarregue a página e tente novamente.',
    )
  return parsed.data
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A browser may open this route as a page. */
    navigable?: boolean
  }
}

interface ApiGuardOptions {
  /** The dashboard's own origins; browsers' requests from elsewhere are refused. */
  origins: readonly string[]
  /** The error for a NUL in the query, which PostgreSQL cannot store. */
  refuseNul?: () => AppError
}

/**
 * Makes a scope an API that only the dashboard's pages can use (docs/explain/threat-model.md, rule 3): no navigation,
 * no foreign origin, JSON bodies only, no CORS headers. Callers are then identified by key and bearer token alone.
 */
export function guardApi(scope: FastifyInstance, { origins, refuseNul = nulInQuery }: ApiGuardOptions): void {
  scope.addHook('onRequest', async (request) => {
    const { origin, 'sec-fetch-mode': mode } = request.headers
    if (mode === 'navigate' && request.routeOptions.config?.navigable !== true)
      throw new AppError(403, 'forbidden', 'This address answers programs, not navigations')
    if (request.url.includes('%00')) throw refuseNul()
    if (origin !== undefined && !origins.includes(origin))
      throw new AppError(403, 'forbidden', 'This origin is not allowed')
    // Both protocols read a body without a type as JSON.
    request.headers['content-type'] ??= 'application/json'
  })
  scope.removeAllContentTypeParsers()
  const parseJson = scope.getDefaultJsonParser('remove', 'remove')
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string
    // The clients send the type on every call except GET, with or without a body.
    if (text.length === 0) return done(null, undefined)
    if (hasEscapedNul(text)) return done(badJson('a NUL character is not allowed'))
    parseJson(request, text, (error: Error | null, value?: unknown) =>
      error === null ? done(null, value) : done(badJson(error.message)),
    )
  })
}

const nulInQuery = () => new AppError(400, 'bad_request', 'A NUL character is not allowed')

/** PostgreSQL text cannot contain a NUL; after an escaped backslash, `\\u0000` is plain text. */
function hasEscapedNul(json: string): boolean {
  return json.replaceAll('\\\\', '').includes('\\u0000')
}

function badJson(problem: string): AppError {
  return new AppError(400, 'bad_json', `Could not parse request body as JSON: ${problem}`)
}

/** Who calls the services, as key and bearer token prove. */
export type Caller =
  | { kind: 'guest' }
  /** Only the public key. */
  | { kind: 'anon' }
  /** A service key. */
  | { kind: 'service' }
  /** An open session. `role` is null for a person without an admin role. */
  | {
      kind: 'user'
      userId: string
      email: string
      sessionId: string
      role: string | null
      aal: 'aal1' | 'aal2'
      needsSecondFactor: boolean
    }

/** Only these may use the data API and `/admin/api`. */
export function isAdministrator(caller: Caller): boolean {
  if (caller.kind === 'service') return true
  return caller.kind === 'user' && caller.role !== null && !caller.needsSecondFactor
}

/** The actor in the audit trail. `ACTIVITY_ACTORS` has the words for those that are no person. */
export interface Actor {
  actor_id: string | null
  actor: string
}

export const SERVICE_ACTOR: Actor = { actor_id: null, actor: 'service key' }

/** Commands on the server. */
export const OPERATOR_ACTOR: Actor = { actor_id: null, actor: 'command line' }

const GUEST_ACTOR: Actor = { actor_id: null, actor: 'guest' }

export function auditActor(caller: Caller): Actor {
  if (caller.kind === 'user') return { actor_id: caller.userId, actor: caller.email }
  return caller.kind === 'service' ? SERVICE_ACTOR : GUEST_ACTOR
}
