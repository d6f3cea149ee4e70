import type { AuthContext } from '../auth-context.ts'
import { authError } from '../protocol/auth-error.ts'
import { deleteRecoveryCodes } from '../second-factors/replace-recovery-codes.ts'
import type { LockedAccount } from '../users/change-account.ts'
import type { Amr, OpenSession } from './open-session.ts'
import { renewRefreshToken } from './rotate-refresh-token.ts'

const SECOND_FACTORS = ['totp', 'mfa/webauthn', 'recovery_code'] as const

/**
 * The session has shown a second factor. Its browser's login is raised with it, so that a reload and the other tabs
 * need no new code; whatever else of this person knows only the password ends.
 */
export async function raiseSession(
  context: Pick<AuthContext, 'refreshSecret'>,
  { trx, session }: LockedAccount,
  method: (typeof SECOND_FACTORS)[number],
  now = new Date(),
): Promise<OpenSession> {
  if (session === null)
    throw authError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  const amr: Amr = [
    { method, timestamp: Math.floor(now.getTime() / 1000) },
    ...session.amr.filter((entry) => entry.method !== method),
  ]
  const raised = { aal: 'aal2' as const, amr: JSON.stringify(amr) }
  if (session.login_id !== null) {
    await trx.updateTable('auth_logins').set(raised).where('id', '=', session.login_id).execute()
    await trx.updateTable('auth_sessions').set(raised).where('login_id', '=', session.login_id).execute()
  }
  await trx.updateTable('auth_sessions').set(raised).where('id', '=', session.id).execute()
  for (const table of ['auth_logins', 'auth_sessions'] as const)
    await trx.deleteFrom(table).where('user_id', '=', session.user_id).where('aal', '=', 'aal1').execute()
  const refreshToken = await renewRefreshToken(context, trx, session.id, now)
  return { sessionId: session.id, aal: 'aal2', amr, refreshToken }
}

/** After a verified factor is gone, nothing of this person counts as having shown one. */
export async function lowerSessions(account: LockedAccount): Promise<void> {
  const { trx, user } = account
  for (const table of ['auth_logins', 'auth_sessions'] as const) {
    const raised = await trx
      .selectFrom(table)
      .select(['id', 'amr'])
      .where('user_id', '=', user.id)
      .where('aal', '=', 'aal2')
      .execute()
    for (const { id, amr } of raised) {
      const rest = JSON.stringify(
        amr.filter(({ method }) => !(SECOND_FACTORS as readonly string[]).includes(method)),
      )
      await trx.updateTable(table).set({ aal: 'aal1', amr: rest }).where('id', '=', id).execute()
    }
  }
  const left = await trx
    .selectFrom('auth_factors')
    .select('id')
    .where('user_id', '=', user.id)
    .where('status', '=', 'verified')
    .executeTakeFirst()
  // A recovery code stands in for a factor; without one it opens nothing.
  if (left === undefined) await deleteRecoveryCodes(account)
}
