import type { FastifyRequest } from 'fastify'
import type { Selectable } from 'kysely'
import { isUuid } from '#contract/uuid.ts'
import type { AuthSessions } from '#server/db/auth-schema.ts'
import type { AuthContext } from '../auth-context.ts'
import { apiKeyRole, readBearer } from '../keys/read-api-key.ts'
import { isExpired, type TokenClaims } from '../keys/token-signer.ts'
import { authError } from '../protocol/auth-error.ts'
import { limitWrites } from '../protocol/limit-calls.ts'
import { isLoginOpen } from '../sessions/is-login-alive.ts'
import { findUserById } from '../users/find-user.ts'
import type { UserRow } from '../users/user-object.ts'

export type SessionRow = Selectable<AuthSessions>

/** The person and the session behind a bearer token, read anew at every call, in the protocol's own refusals. */
export async function requireUser(
  context: AuthContext,
  request: FastifyRequest,
): Promise<{ user: UserRow; session: SessionRow }> {
  const claims = await requireToken(context, request)
  if (isExpired(claims)) throw badJwt('token has invalid claims: token is expired')
  const { sub, session_id: sessionId } = claims
  if (sub === undefined || sub === '') throw authError(403, 'bad_jwt', 'invalid claim: missing sub claim')
  if (!isUuid(sub)) throw authError(403, 'bad_jwt', 'invalid claim: sub claim must be a UUID')
  const user = await findUserById(context.db, sub)
  if (user === undefined || user.deleted_at !== null)
    throw authError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  const session = await findSession(context, sessionId, sub)
  if (session === undefined)
    throw authError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  if (user.banned_until !== null && Date.parse(user.banned_until) > Date.now())
    throw authError(403, 'user_banned', 'User is banned')
  if (request.method !== 'GET') limitWrites(context, session)
  return { user, session }
}

/** A token that we signed, expired or not. */
export async function requireToken(context: AuthContext, request: FastifyRequest): Promise<TokenClaims> {
  const bearer = readBearer(request.headers.authorization)
  if (bearer === null) throw authError(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
  const claims = await (await context.keys.current()).signer.verify(bearer)
  if (claims === null) throw badJwt('token is malformed or signed by another key')
  return claims
}

/** The service key, for what only scripts and operators may do. */
export async function requireService(context: AuthContext, request: FastifyRequest): Promise<void> {
  const claims = await requireToken(context, request)
  if (isExpired(claims)) throw badJwt('token has invalid claims: token is expired')
  if (apiKeyRole(claims, await context.keys.current()) !== 'service_role')
    throw authError(403, 'not_admin', 'User not allowed')
}

export async function findSession(
  { db }: AuthContext,
  sessionId: string | undefined,
  userId: string,
): Promise<SessionRow | undefined> {
  if (sessionId === undefined || !isUuid(sessionId)) return undefined
  const row = await db
    .selectFrom('auth_sessions as s')
    .leftJoin('auth_logins as l', 'l.id', 's.login_id')
    .selectAll('s')
    .select('l.expires_at as login_expires_at')
    .where('s.id', '=', sessionId)
    .where('s.user_id', '=', userId)
    .executeTakeFirst()
  const isOver = row?.login_expires_at != null && !isLoginOpen(row.login_expires_at, Date.now())
  return isOver ? undefined : row
}

function badJwt(problem: string): Error {
  return authError(403, 'bad_jwt', `invalid JWT: unable to parse or verify signature, ${problem}`)
}
