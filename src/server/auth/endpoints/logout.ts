import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isUuid } from '#contract/uuid.ts'
import { change } from '#server/db/transactions/change.ts'
import { hashOpaqueToken } from '#server/secrets/tokens.ts'
import { changeAccount, findSession, LockedAccount } from '../accounts/change-account.ts'
import { requireToken, requireUser } from '../caller.ts'
import type { AuthContext } from '../context.ts'
import { authError, readQuery, validationFailed } from '../protocol.ts'
import { clearLoginCookie, readLoginCookie } from '../sessions/cookies.ts'
import { endLogin, endLoginOfCookie, endOtherLogins, endSessions } from '../sessions/revoke.ts'

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
 * "Sair" accepts an expired access token of ours, and also ends the login of the cookie: a tab whose session is gone
 * must not leave the browser signed in.
 */
async function signOutHere(context: AuthContext, request: FastifyRequest): Promise<void> {
  const { claims } = await requireToken(context, request)
  const { sub: userId, session_id: sessionId = '' } = claims
  if (userId === undefined) throw authError(403, 'bad_jwt', 'invalid claim: missing sub claim')
  const cookie = readLoginCookie(request) ?? ''
  const ended = await change(context.db, async (trx) => {
    const account = isUuid(userId) ? await LockedAccount.lock(trx, { userId }) : undefined
    if (account === undefined) return false
    const session = isUuid(sessionId) ? await findSession(trx, sessionId, userId) : undefined
    if (session !== undefined) {
      await endLogin(account, session.login_id ?? session.id)
      await account.audit('auth.signed_out', { subject: session.id })
    }
    const hasLogin = cookie !== '' && (await endLoginOfCookie(account, hashOpaqueToken(cookie)))
    return session !== undefined || hasLogin
  })
  if (!ended) throw authError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
}

async function signOutElsewhere(
  context: AuthContext,
  request: FastifyRequest,
  which: 'global' | 'others',
): Promise<void> {
  const { session, who } = await requireUser(context, request)
  await changeAccount(context.db, who, {
    write: async (account) => {
      if (which === 'global') await endSessions(account, 'all')
      else await endOtherLogins(account)
      const action = which === 'global' ? 'auth.signed_out_everywhere' : 'auth.signed_out_others'
      await account.audit(action, { subject: session.id })
    },
  })
}
