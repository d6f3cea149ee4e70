import type { FastifyInstance, FastifyRequest } from 'fastify'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { hashOpaqueToken } from '#server/http/opaque-token.ts'
import { findSession, requireToken, requireUser } from '../access/require-user.ts'
import type { AuthContext } from '../auth-context.ts'
import { authError, validationFailed } from '../protocol/auth-error.ts'
import { readQuery } from '../protocol/read-body.ts'
import { endLogin, endSessions } from '../sessions/end-sessions.ts'
import { clearLoginCookie, readLoginCookie } from '../sessions/login-cookie.ts'

const SCOPES = ['global', 'local', 'others'] as const
type Scope = (typeof SCOPES)[number]

export function registerLogout(scope: FastifyInstance, context: AuthContext): void {
  scope.post('/logout', async (request, reply) => {
    const which = readScope(request)
    if (which !== 'others') clearLoginCookie(reply)
    if (which === 'local') await signOutHere(context, request)
    else await signOutElsewhere(context, request, which)
    return reply.code(204).send()
  })
}

function readScope(request: FastifyRequest): Scope {
  const asked = readQuery(request, 'scope') ?? 'global'
  const scope = SCOPES.find((candidate) => candidate === asked)
  if (scope === undefined) throw validationFailed(`Unsupported logout scope "${asked}"`)
  return scope
}

/**
 * "Sair" works with an access token that has expired, as long as it is one of ours, and also ends the login that the
 * cookie names: a tab whose session is gone already must not leave the browser signed in.
 */
async function signOutHere(context: AuthContext, request: FastifyRequest): Promise<void> {
  const claims = await requireToken(context, request)
  const userId = claims.sub
  if (userId === undefined) throw authError(403, 'bad_jwt', 'invalid claim: missing sub claim')
  const session = await findSession(context, claims.session_id, userId)
  const cookie = readLoginCookie(request)
  const ended = await change(context.db, async (trx) => {
    if (session !== undefined) {
      await endLogin(trx, session)
      await recordAudit(trx, {
        actor_id: userId,
        actor: String(claims.email ?? userId),
        action: 'auth.signed_out',
        subject: session.id,
      })
    }
    if (cookie === null || cookie === '') return session !== undefined
    const login = await trx
      .deleteFrom('auth_logins')
      .where('token_hash', '=', hashOpaqueToken(cookie))
      .where('user_id', '=', userId)
      .executeTakeFirst()
    return session !== undefined || login.numDeletedRows > 0n
  })
  if (!ended) throw authError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
}

async function signOutElsewhere(
  context: AuthContext,
  request: FastifyRequest,
  which: 'global' | 'others',
): Promise<void> {
  const { user, session } = await requireUser(context, request)
  await change(context.db, async (trx) => {
    if (which === 'global') await endSessions(trx, user.id)
    else await endOtherLogins(trx, user.id, session)
    await recordAudit(trx, {
      actor_id: user.id,
      actor: user.email,
      action: which === 'global' ? 'auth.signed_out_everywhere' : 'auth.signed_out_others',
      subject: session.id,
    })
  })
}

/** This browser keeps its login with every tab. */
async function endOtherLogins(
  trx: AuthContext['db'],
  userId: string,
  own: { id: string; login_id: string | null },
): Promise<void> {
  if (own.login_id === null) return endSessions(trx, userId, { sessionId: own.id })
  const ownLogin = own.login_id
  await trx.deleteFrom('auth_logins').where('user_id', '=', userId).where('id', '!=', ownLogin).execute()
  await trx.deleteFrom('auth_sessions').where('user_id', '=', userId).where('login_id', 'is', null).execute()
}
