import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type CompiledQuery, sql } from 'kysely'
import { isUuid } from '#contract/uuid.ts'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { pipeline } from '../db/transactions/change.ts'
import { AppError } from '../http/errors.ts'
import type { Caller, Callers } from '../http/security/administrators.ts'
import { forwardAddress } from '../http/sockets/addresses.ts'
import { type AccountState, readAccount } from './accounts/change-account.ts'
import { accessRefusal } from './accounts/rules.ts'
import type { SessionRow } from './accounts/users.ts'
import type { AuthContext } from './context.ts'
import { lacksSecondFactor } from './factors/second-factor.ts'
import type { ApiKeyRole, Keys } from './keys/key-ring.ts'
import { isExpired, type TokenClaims } from './keys/token-signer.ts'
import { authError, limitWrites } from './protocol.ts'
import { isLoginOpen } from './sessions/revoke.ts'

interface CallerRow {
  user_id: string
  email: string
  admin_role: string | null
  aal: 'aal1' | 'aal2'
  banned_until: string | null
  deleted_at: string | null
  login_expires_at: string | null
  verified_factors: number
}

/**
 * Resolves the caller for `/rest/v1` and `/admin/api`. The signature is checked once per token, the session at every
 * call, so that an ended session is refused at once. Throws 401 with `bad_jwt`, `jwt_expired`, `session_not_found` or
 * `user_banned` for an invalid bearer token; a request without a valid key is a guest.
 */
export function createCallers({ db, keys }: AuthContext): Callers {
  const query = compileCallerQuery(db)
  const resolve = async (request: FastifyRequest): Promise<Caller> => {
    const current = await keys.current()
    if ((await readApiKey(current, request.headers.apikey)) === null) return { kind: 'guest' }
    const token = await readToken(current, request)
    switch (token.kind) {
      case 'none':
        return { kind: 'anon' }
      case 'foreign':
        throw new AppError(401, 'bad_jwt', 'invalid JWT: unable to parse or verify signature')
      case 'expired':
        throw new AppError(401, 'jwt_expired', 'JWT expired')
      case 'revoked':
        throw new AppError(401, 'bad_jwt', 'invalid JWT: this key was revoked')
      case 'key':
        return { kind: token.role === 'service_role' ? 'service' : 'anon' }
      case 'session': {
        const { session_id: id = '' } = token.claims
        return toCaller(isUuid(id) ? await readCaller(db, query, id) : undefined, id, Date.now())
      }
    }
  }
  const recheck = async (trx: Db, caller: Caller): Promise<Caller> => {
    if (caller.kind !== 'user') return caller
    // A concurrent removal or ban of this person waits for this write, or was first and is seen.
    if (engineOf(trx) === 'postgres')
      await trx.selectFrom('auth_users').select('id').where('id', '=', caller.userId).forShare().execute()
    return toCaller(await readCaller(trx, query, caller.sessionId), caller.sessionId, Date.now())
  }
  return { resolve, recheck }
}

function toCaller(row: CallerRow | undefined, sessionId: string, now: number): Caller {
  if (row === undefined || (row.login_expires_at !== null && !isLoginOpen(row.login_expires_at, now)))
    throw new AppError(401, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  const refusal = accessRefusal(row, now)
  if (refusal === 'user_not_found')
    throw new AppError(401, refusal, 'User from sub claim in JWT does not exist')
  if (refusal === 'user_banned') throw new AppError(401, refusal, 'User is banned')
  return {
    kind: 'user',
    userId: row.user_id,
    email: row.email,
    sessionId,
    role: row.admin_role,
    aal: row.aal,
    needsSecondFactor: lacksSecondFactor(row.aal, row.verified_factors),
  }
}

/** Compiled once: it runs before every call. */
function compileCallerQuery(db: Db): CompiledQuery<CallerRow> {
  return db
    .selectFrom('auth_sessions as s')
    .innerJoin('auth_users as u', 'u.id', 's.user_id')
    .leftJoin('admin_roles as r', 'r.user_id', 's.user_id')
    .leftJoin('auth_logins as l', 'l.id', 's.login_id')
    .select((eb) => [
      's.user_id',
      's.aal',
      'u.email',
      'u.banned_until',
      'u.deleted_at',
      'r.role as admin_role',
      'l.expires_at as login_expires_at',
      eb
        .selectFrom('auth_factors as f')
        .select(sql<number>`count(*)`.as('n'))
        .whereRef('f.user_id', '=', 's.user_id')
        .where('f.status', '=', 'verified')
        .as('verified_factors'),
    ])
    .where('s.id', '=', '')
    .compile() as CompiledQuery<CallerRow>
}

/** Inside a transaction the next statement is sent with it. */
async function readCaller(
  db: Db,
  query: CompiledQuery<CallerRow>,
  sessionId: string,
): Promise<CallerRow | undefined> {
  const parameters = query.parameters.map((value) => (value === '' ? sessionId : value))
  const { answer } = await pipeline<CallerRow>(db, { compile: () => ({ ...query, parameters }) })
  return (await answer).rows[0]
}

/** The protocol's own name. */
const FORWARDED_FOR = 'sb-forwarded-for'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** No API key needed, as at the protocol's gateway: always, or for certain requests. */
    keyless?: boolean | ((request: FastifyRequest) => boolean)
  }
}

/** The protocol leaves this to a gateway; there is none here. */
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
  // An integrator's server calls for many visitors; only with its service key may it name the visitor's address.
  if (role === 'service_role' || isServiceKey(await readToken(current, request)))
    forwardAddress(request, visitor)
}

function refusal(message: string): AppError {
  return new AppError(401, 'no_authorization', message, { headers: { 'www-authenticate': 'Bearer' } })
}

/** Matches no session. */
const NO_SESSION = '00000000-0000-0000-0000-000000000000'

/** A person's account and current session. */
export interface OwnAccount extends AccountState {
  readonly session: SessionRow
  /** For changes of the account: what is read here may be outdated by then. */
  readonly who: { userId: string; sessionId: string }
}

/** The person and session of a bearer token, read at every call, with the protocol's errors. */
export async function requireUser(context: AuthContext, request: FastifyRequest): Promise<OwnAccount> {
  const { claims } = await requireLiveToken(context, request)
  const { sub, session_id: claimed = '' } = claims
  if (sub === undefined || sub === '') throw authError(403, 'bad_jwt', 'invalid claim: missing sub claim')
  if (!isUuid(sub)) throw authError(403, 'bad_jwt', 'invalid claim: sub claim must be a UUID')
  const who = { userId: sub, sessionId: isUuid(claimed) ? claimed : NO_SESSION }
  return readSessionAccount(context, request, who)
}

/** Account and session of a resolved caller. Their writes are limited. */
export async function readSessionAccount(
  context: AuthContext,
  request: FastifyRequest,
  who: OwnAccount['who'],
): Promise<OwnAccount> {
  const { session, ...account } = await readAccount(context.db, who)
  if (session === null) throw new Error('the account has no session')
  if (request.method !== 'GET') limitWrites(context, session)
  return { ...account, session, who }
}

/** A token signed by us, expired or not, with the auth protocol's errors. */
export async function requireToken(context: AuthContext, request: FastifyRequest): Promise<OwnToken> {
  const token = await readToken(await context.keys.current(), request)
  if (token.kind === 'none')
    throw authError(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
  if (token.kind === 'foreign') throw badJwt('token is malformed or signed by another key')
  return token
}

async function requireLiveToken(context: AuthContext, request: FastifyRequest): Promise<OwnToken> {
  const token = await requireToken(context, request)
  if (token.kind === 'expired') throw badJwt('token has invalid claims: token is expired')
  return token
}

function badJwt(problem: string): Error {
  return authError(403, 'bad_jwt', `invalid JWT: unable to parse or verify signature, ${problem}`)
}

/** A scope for service keys only. */
export async function registerForServiceKey(
  parent: FastifyInstance,
  context: AuthContext,
  endpoints: readonly ((scope: FastifyInstance, context: AuthContext) => void)[],
): Promise<void> {
  await parent.register(async (scope) => {
    scope.addHook('onRequest', async (request) => {
      if (!isServiceKey(await requireLiveToken(context, request)))
        throw authError(403, 'not_admin', 'User not allowed')
    })
    for (const register of endpoints) register(scope, context)
  })
}

type OwnToken =
  | { kind: 'expired' | 'revoked' | 'session'; claims: TokenClaims }
  /** Null: a role that we do not know. */
  | { kind: 'key'; claims: TokenClaims; role: ApiKeyRole | null }

/** Checks the bearer token of a request; each protocol words its own refusal. */
async function readToken(
  keys: Keys,
  { headers }: FastifyRequest,
): Promise<OwnToken | { kind: 'none' } | { kind: 'foreign' }> {
  const bearer = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (bearer === undefined) return { kind: 'none' }
  const claims = await keys.signer.verify(bearer)
  return claims === null ? { kind: 'foreign' } : judgeToken(claims, keys)
}

/** The role of an API key; null if it is not ours. */
export async function readApiKey(keys: Keys, header: unknown): Promise<ApiKeyRole | null> {
  if (typeof header !== 'string' || header === '') return null
  const claims = await keys.signer.verify(header)
  if (claims === null) return null
  const token = judgeToken(claims, keys)
  return token.kind === 'key' ? token.role : null
}

/** The protocol's two names for the service role. */
const SERVICE_ROLES = ['service_role', 'supabase_admin']

/** Only a token without a session is a key, whatever role an account's token carries. */
function judgeToken(claims: TokenClaims, { revoked }: Keys): OwnToken {
  if (isExpired(claims)) return { kind: 'expired', claims }
  if (claims.session_id !== undefined) return { kind: 'session', claims }
  if (revoked.has(claims.jti ?? '')) return { kind: 'revoked', claims }
  if (claims.role === 'anon') return { kind: 'key', claims, role: 'anon' }
  return { kind: 'key', claims, role: SERVICE_ROLES.includes(claims.role ?? '') ? 'service_role' : null }
}

function isServiceKey(token: { kind: string; role?: ApiKeyRole | null }): boolean {
  return token.kind === 'key' && token.role === 'service_role'
}
