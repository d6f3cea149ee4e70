import type { FastifyReply, FastifyRequest } from 'fastify'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import { neighbourhoodBlock } from '#server/http/address-block.ts'
import { clientAddress } from '#server/http/client-address.ts'
import type { AuthContext } from '../auth-context.ts'
import { forgetFirstPassword } from '../keys/app-secret.ts'
import { authError } from '../protocol/auth-error.ts'
import { findFactors, withFactors } from '../users/find-user.ts'
import type { UserRow } from '../users/user-object.ts'
import { rememberDevice } from './device-cookie.ts'
import { isFromDashboard, setLoginCookie } from './login-cookie.ts'
import { type Aal, type Amr, openLogin, openSession } from './open-session.ts'
import { type SessionObject, toSessionObject } from './session-object.ts'

/** Opens a session for a person who has just proved who they are; a browser on the dashboard also gets its cookies. */
export async function signIn(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  proved: UserRow,
  amr: Amr,
  /** Part of the transaction: spends what proved the person, or throws when it is worth nothing any more. */
  spendProof: (trx: Db) => Promise<void> = async () => {},
): Promise<SessionObject> {
  const fromDashboard = isFromDashboard(request, context.origins)
  const userAgent = request.headers['user-agent'] ?? ''
  const network = neighbourhoodBlock(clientAddress(request))
  const opened = await change(context.db, async (trx) => {
    const now = new Date()
    await spendProof(trx)
    const user = await trx
      .updateTable('auth_users')
      .set({ last_sign_in_at: now.toISOString() })
      .where('id', '=', proved.id)
      // Changed while the old one was being checked: that proof is worth nothing now.
      .where('password_hash', 'is not distinct from', proved.password_hash)
      .returningAll()
      .executeTakeFirst()
    if (user === undefined) throw authError(400, 'invalid_credentials', 'Invalid login credentials')
    if (proved.last_sign_in_at === null) await forgetFirstPassword(trx, user.id)
    const aal = await levelOf(trx, user.id, amr)
    const login = fromDashboard
      ? await openLogin(trx, { userId: user.id, aal, amr, userAgent, network }, now)
      : null
    const session = await openSession(
      context,
      trx,
      { userId: user.id, loginId: login?.loginId ?? null, aal, amr, userAgent, network },
      now,
    )
    await recordAudit(trx, {
      actor_id: user.id,
      actor: user.email,
      action: 'auth.signed_in',
      subject: session.sessionId,
    })
    return { user, login, session }
  })
  if (opened.login !== null) {
    setLoginCookie(reply, opened.login.cookie)
    rememberDevice(request, reply, context.deviceSecret, opened.user.id, 'aal1')
  }
  return toSessionObject(context, await withFactors(context.db, opened.user), opened.session)
}

/**
 * A passkey is a device that has verified its owner, which is both factors at once: where a second one is asked for, it
 * has been shown. Without any, the session is of aal1, as the protocol has it.
 */
async function levelOf(trx: Db, userId: string, amr: Amr): Promise<Aal> {
  if (!amr.some(({ method }) => method === 'passkey')) return 'aal1'
  const factors = await findFactors(trx, userId)
  return factors.some(({ status }) => status === 'verified') ? 'aal2' : 'aal1'
}
