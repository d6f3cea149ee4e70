import type { FastifyRequest } from 'fastify'
import { type CompiledQuery, sql } from 'kysely'
import { isUuid } from '#contract/uuid.ts'
import { engineOf } from '#server/db/column-types.ts'
import type { Db } from '#server/db/database.ts'
import type { AdminAccess, Recheck } from '#server/http/admin-request.ts'
import { AppError } from '#server/http/app-error.ts'
import type { Caller } from '#server/http/caller.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Keys } from '../keys/key-ring.ts'
import { apiKeyRole, readApiKey, readBearer } from '../keys/read-api-key.ts'
import { isExpired, type TokenClaims } from '../keys/token-signer.ts'
import { lacksSecondFactor } from '../second-factors/second-factor.ts'
import { isLoginOpen } from '../sessions/is-login-alive.ts'
import { accessRefusal } from '../users/rules.ts'

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
 * Who calls, for every service. The signature is checked once per token, the session at every call, so that what was
 * ended is refused at once. Throws 401 with `bad_jwt`, `jwt_expired`, `session_not_found` or `user_banned` for a bearer
 * token that is not good; no valid key at all is a guest.
 */
export function createIdentify({
  db,
  keys,
}: AuthContext): Pick<AdminAccess, 'identify'> & { recheck: Recheck } {
  const query = compileCallerQuery(db)
  const identify = async (request: FastifyRequest): Promise<Caller> => {
    const current = await keys.current()
    if ((await readApiKey(current, request.headers.apikey)) === null) return { kind: 'guest' }
    const bearer = readBearer(request.headers.authorization)
    if (bearer === null) return { kind: 'anon' }
    const claims = await current.signer.verify(bearer)
    if (claims === null)
      throw new AppError(401, 'bad_jwt', 'invalid JWT: unable to parse or verify signature')
    if (isExpired(claims)) throw new AppError(401, 'jwt_expired', 'JWT expired')
    const sessionId = claims.session_id
    if (sessionId === undefined) return { kind: kindOfKey(claims, current) }
    const row = isUuid(sessionId) ? await readCaller(db, query, sessionId) : undefined
    return toCaller(row, sessionId, Date.now())
  }
  const recheck = async (trx: Db, caller: Caller): Promise<Caller> => {
    if (caller.kind !== 'user') return caller
    // Whoever removes or bans this person waits until what they write is written, or was first and is seen.
    if (engineOf(trx) === 'postgres')
      await trx.selectFrom('auth_users').select('id').where('id', '=', caller.userId).forShare().execute()
    return toCaller(await readCaller(trx, query, caller.sessionId), caller.sessionId, Date.now())
  }
  return { identify, recheck }
}

function kindOfKey(claims: TokenClaims, keys: Keys): 'service' | 'anon' {
  if (keys.revoked.has(claims.jti ?? ''))
    throw new AppError(401, 'bad_jwt', 'invalid JWT: this key was revoked')
  return apiKeyRole(claims, keys) === 'service_role' ? 'service' : 'anon'
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

/** Built once: this runs before every call of every service. */
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

async function readCaller(
  db: Db,
  query: CompiledQuery<CallerRow>,
  sessionId: string,
): Promise<CallerRow | undefined> {
  const parameters = query.parameters.map((value) => (value === '' ? sessionId : value))
  const { rows } = await db.executeQuery<CallerRow>({ ...query, parameters })
  return rows[0]
}
