import type { FastifyReply, FastifyRequest } from 'fastify'
import { change } from '#server/db/change.ts'
import { neighbourhoodBlock } from '#server/http/address-block.ts'
import { clientAddress } from '#server/http/client-address.ts'
import type { AuthContext } from '../auth-context.ts'
import { forgetFirstPassword } from '../keys/app-secret.ts'
import { hasSecondFactor } from '../second-factors/second-factor.ts'
import { LockedAccount } from '../users/change-account.ts'
import { withFactors } from '../users/find-user.ts'
import { accessRefusal, refuse, signInRefusal } from '../users/rules.ts'
import { rememberDevice } from './device-cookie.ts'
import { isFromDashboard, setLoginCookie } from './login-cookie.ts'
import { type Aal, type Amr, openLogin, openSession } from './open-session.ts'
import { type SessionObject, toSessionObject } from './session-object.ts'

interface SignIn {
  request: FastifyRequest
  reply: FastifyReply
  userId: string
  amr: Amr
  /** Of the refusal of somebody who is banned or unconfirmed, as the protocol has it. */
  status: 400 | 403
  /** The refusal of an account that is gone. */
  unknown: () => Error
  /**
   * Part of the transaction, on the locked account: spends what proved the person, or throws when it is worth nothing any
   * more. False when there is no session yet.
   */
  admit: (account: LockedAccount) => Promise<boolean>
}

/** Opens a session for a person who has just proved who they are; a browser on the dashboard also gets its cookies. */
export async function signIn(
  context: AuthContext,
  { request, reply, userId, amr, status, unknown, admit }: SignIn,
): Promise<SessionObject | null> {
  const fromDashboard = isFromDashboard(request, context.origins)
  const userAgent = request.headers['user-agent'] ?? ''
  const network = neighbourhoodBlock(clientAddress(request))
  const opened = await change(context.db, async (trx) => {
    const account = await LockedAccount.lock(trx, { userId })
    if (account === undefined) throw unknown()
    refuse(accessRefusal(account.user), status, unknown)
    if (!(await admit(account))) return null
    refuse(signInRefusal(account.user), status, unknown)
    const now = new Date()
    const aal = levelOf(account, amr)
    if (account.user.last_sign_in_at === null) await forgetFirstPassword(trx, userId)
    const user = await account.update({ last_sign_in_at: now.toISOString() })
    const login = fromDashboard ? await openLogin(account, { aal, amr, userAgent, network }, now) : null
    const session = await openSession(
      context,
      account,
      { loginId: login?.loginId ?? null, aal, amr, userAgent, network },
      now,
    )
    await account.audit('auth.signed_in', { subject: session.sessionId })
    return { user, login, session }
  })
  if (opened === null) return null
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
function levelOf(account: LockedAccount, amr: Amr): Aal {
  return amr.some(({ method }) => method === 'passkey') && hasSecondFactor(account) ? 'aal2' : 'aal1'
}
