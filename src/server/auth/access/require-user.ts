import type { FastifyRequest } from 'fastify'
import { isUuid } from '#contract/uuid.ts'
import type { AuthContext } from '../auth-context.ts'
import { apiKeyRole, readBearer } from '../keys/read-api-key.ts'
import { isExpired, type TokenClaims } from '../keys/token-signer.ts'
import { authError } from '../protocol/auth-error.ts'
import { limitWrites } from '../protocol/limit-calls.ts'
import { type AccountState, readAccount } from '../users/change-account.ts'
import type { SessionRow } from '../users/user-object.ts'

/** Of no session. */
const NO_SESSION = '00000000-0000-0000-0000-000000000000'

/** A person's account and the session that they use. */
export interface OwnAccount extends AccountState {
  readonly session: SessionRow
  /** For whoever changes the account: what is read here may be over by then. */
  readonly who: { userId: string; sessionId: string }
}

/** The person and the session behind a bearer token, read anew at every call, in the protocol's own refusals. */
export async function requireUser(context: AuthContext, request: FastifyRequest): Promise<OwnAccount> {
  const claims = await requireToken(context, request)
  if (isExpired(claims)) throw badJwt('token has invalid claims: token is expired')
  const { sub, session_id: claimed = '' } = claims
  if (sub === undefined || sub === '') throw authError(403, 'bad_jwt', 'invalid claim: missing sub claim')
  if (!isUuid(sub)) throw authError(403, 'bad_jwt', 'invalid claim: sub claim must be a UUID')
  const who = { userId: sub, sessionId: isUuid(claimed) ? claimed : NO_SESSION }
  const { session, ...account } = await readAccount(context.db, who)
  if (session === null) throw new Error('an account was read without its session')
  if (request.method !== 'GET') limitWrites(context, session)
  return { ...account, session, who }
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

function badJwt(problem: string): Error {
  return authError(403, 'bad_jwt', `invalid JWT: unable to parse or verify signature, ${problem}`)
}
