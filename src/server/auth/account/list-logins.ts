import type { OwnLogin } from '#contract/accounts.ts'
import type { Db } from '#server/db/database.ts'
import { isLoginAlive } from '../sessions/is-login-alive.ts'
import type { SessionRow } from '../users/user-object.ts'

/** Where a person is signed in: each browser, and each program that keeps a session of its own. Newest use first. */
export async function listLogins(db: Db, own: SessionRow, now = Date.now()): Promise<OwnLogin[]> {
  const logins = await db
    .selectFrom('auth_logins')
    .select(['id', 'user_agent', 'network as address', 'created_at', 'last_used_at'])
    .where('user_id', '=', own.user_id)
    .select('expires_at')
    .execute()
  const sessions = await db
    .selectFrom('auth_sessions')
    .select(['id', 'user_agent', 'network as address', 'created_at', 'last_used_at'])
    .where('user_id', '=', own.user_id)
    .where('login_id', 'is', null)
    .execute()
  const alive = logins
    .filter((login) => isLoginAlive(login, now))
    .map(({ expires_at: _end, ...login }) => login)
  return [...alive, ...sessions]
    .map((row) => ({ ...row, current: row.id === own.login_id || row.id === own.id }))
    .sort((a, b) => Number(b.current) - Number(a.current) || b.last_used_at.localeCompare(a.last_used_at))
}
