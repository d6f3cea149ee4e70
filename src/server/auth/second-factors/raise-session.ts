import type { Db } from '#server/db/database.ts'
import type { SessionRow } from '../access/require-user.ts'
import type { AuthContext } from '../auth-context.ts'
import { authError } from '../protocol/auth-error.ts'
import type { Amr, OpenSession } from '../sessions/open-session.ts'
import { renewRefreshToken } from '../sessions/rotate-refresh-token.ts'

/**
 * The session has shown a second factor. Its browser's login is raised with it, so that a reload and the other tabs
 * need no new code; whatever else of this person knows only the password ends.
 */
export async function raiseSession(
  context: Pick<AuthContext, 'refreshSecret'>,
  trx: Db,
  session: SessionRow,
  method: 'totp' | 'mfa/webauthn' | 'recovery_code',
  now = new Date(),
): Promise<OpenSession> {
  const amr: Amr = [
    { method, timestamp: Math.floor(now.getTime() / 1000) },
    ...session.amr.filter((entry) => entry.method !== method),
  ]
  const raised = { aal: 'aal2' as const, amr: JSON.stringify(amr) }
  const { numUpdatedRows } = await trx
    .updateTable('auth_sessions')
    .set(raised)
    .where('id', '=', session.id)
    .executeTakeFirst()
  if (numUpdatedRows === 0n)
    throw authError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  if (session.login_id !== null) {
    await trx.updateTable('auth_logins').set(raised).where('id', '=', session.login_id).execute()
    await trx.updateTable('auth_sessions').set(raised).where('login_id', '=', session.login_id).execute()
  }
  for (const table of ['auth_logins', 'auth_sessions'] as const)
    await trx.deleteFrom(table).where('user_id', '=', session.user_id).where('aal', '=', 'aal1').execute()
  const refreshToken = await renewRefreshToken(context, trx, session.id, now)
  return { sessionId: session.id, aal: 'aal2', amr, refreshToken }
}
