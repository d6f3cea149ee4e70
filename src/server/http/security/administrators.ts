import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Db } from '#server/db/database.ts'
import { AppError } from '../errors.ts'

/** What every room needs that answers administrators. */
export interface AdminAccess {
  /** Who calls, by key and bearer token; throws when the token is not good. */
  identify: (request: FastifyRequest) => Promise<Caller>
  /** The dashboard's own origins: the only ones from which a browser may call. */
  origins: readonly string[]
}

/** The same question inside the transaction that writes: who was removed, banned or signed out meanwhile writes nothing. */
export type Recheck = (trx: Db, caller: Caller) => Promise<Caller>

/** Who calls, if it is an administrator. */
export async function requireAdministrator(
  { identify }: Pick<AdminAccess, 'identify'>,
  request: FastifyRequest,
): Promise<Caller> {
  const caller = await identify(request)
  if (isAdministrator(caller)) return caller
  if (caller.kind === 'user') {
    if (caller.role !== null && caller.needsSecondFactor)
      throw new AppError(
        403,
        'insufficient_aal',
        'Falta a segunda etapa do login. Entre de novo e confirme-a.',
      )
    throw new AppError(403, 'forbidden', 'Sua conta não tem acesso administrativo.')
  }
  throw new AppError(401, 'unauthorized', 'Entre para continuar.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

export function pathId(request: FastifyRequest): string {
  const parsed = z.uuid().safeParse((request.params as { id?: string }).id)
  if (!parsed.success) throw new AppError(404, 'not_found', 'Não encontrado.')
  return parsed.data
}

/** No body is an empty one. */
export function readBody<Schema extends z.ZodMiniType>(
  schema: Schema,
  request: FastifyRequest,
): z.output<Schema> {
  const parsed = schema.safeParse(request.body ?? {})
  if (!parsed.success) throw new AppError(400, 'bad_request', 'Pedido inválido.')
  return parsed.data
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A person's browser may open this route of an API as a page. */
    navigable?: boolean
  }
}

interface ApiGuardOptions {
  /** The dashboard's own origins; a browser's request from anywhere else is refused. */
  origins: readonly string[]
  /** What answers an address with a NUL in its query, which no text of PostgreSQL can hold. */
  refuseNul?: () => AppError
}

/**
 * What makes a scope an API that no page but the dashboard can use (DESIGN, section 7, rule 4): no navigation, no
 * foreign origin, JSON bodies only, and not one CORS header. Who calls is then proved by key and bearer token alone.
 */
export function guardApi(scope: FastifyInstance, { origins, refuseNul = nulInQuery }: ApiGuardOptions): void {
  scope.addHook('onRequest', async (request) => {
    const { origin, 'sec-fetch-mode': mode } = request.headers
    if (mode === 'navigate' && request.routeOptions.config?.navigable !== true)
      throw new AppError(403, 'forbidden', 'This address answers programs, not navigations')
    if (request.url.includes('%00')) throw refuseNul()
    if (origin !== undefined && !origins.includes(origin))
      throw new AppError(403, 'forbidden', 'This origin is not allowed')
    // Both protocols read a body of no named type as JSON.
    request.headers['content-type'] ??= 'application/json'
  })
  scope.removeAllContentTypeParsers()
  const parseJson = scope.getDefaultJsonParser('remove', 'remove')
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string
    // The clients name the type on every call that is not a GET, with a body or without.
    if (text.length === 0) return done(null, undefined)
    if (hasEscapedNul(text)) return done(badJson('a NUL character is not allowed'))
    parseJson(request, text, (error: Error | null, value?: unknown) =>
      error === null ? done(null, value) : done(badJson(error.message)),
    )
  })
}

const nulInQuery = () => new AppError(400, 'bad_request', 'A NUL character is not allowed')

/** No text column of PostgreSQL can hold a NUL; with an escaped backslash before it, `\\u0000` is plain text. */
function hasEscapedNul(json: string): boolean {
  return json.replaceAll('\\\\', '').includes('\\u0000')
}

function badJson(problem: string): AppError {
  return new AppError(400, 'bad_json', `Could not parse request body as JSON: ${problem}`)
}

/** Who makes a call to the services, as its key and bearer token prove. */
export type Caller =
  | { kind: 'guest' }
  /** The public key and nothing more. */
  | { kind: 'anon' }
  /** The service key: scripts and automations. */
  | { kind: 'service' }
  /** A live session. `role` is null for a person without an admin role. */
  | {
      kind: 'user'
      userId: string
      email: string
      sessionId: string
      role: string | null
      aal: 'aal1' | 'aal2'
      needsSecondFactor: boolean
    }

/** Only these reach the data service and `/admin/api`. */
export function isAdministrator(caller: Caller): boolean {
  if (caller.kind === 'service') return true
  return caller.kind === 'user' && caller.role !== null && !caller.needsSecondFactor
}

/** How the audit trail names the caller. */
export function auditActor(caller: Caller): { actor_id: string | null; actor: string } {
  if (caller.kind === 'user') return { actor_id: caller.userId, actor: caller.email }
  return { actor_id: null, actor: caller.kind === 'service' ? 'service key' : 'guest' }
}
