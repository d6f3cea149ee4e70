import { DAY_MS } from '#contract/durations.ts'
import type { Db } from '#server/db/database.ts'
import { isUnexpired } from '#server/db/time.ts'
import type { LockedAccount } from '../accounts/change-account.ts'
import { LOGIN_IDLE_MS, LOGIN_MAX_MS } from './cookies.ts'

/** Ends sessions after a change of sign-in: all, or all but the current one, whose browser keeps its login. */
export async function endSessions(
  { trx, user, session }: LockedAccount,
  which: 'all' | 'others',
): Promise<void> {
  const kept = which === 'all' ? null : session
  let logins = trx.deleteFrom('auth_logins').where('user_id', '=', user.id)
  if (kept?.login_id != null) logins = logins.where('id', '!=', kept.login_id)
  await logins.execute()
  let sessions = trx.deleteFrom('auth_sessions').where('user_id', '=', user.id)
  if (kept !== null) sessions = sessions.where('id', '!=', kept.id)
  await sessions.execute()
}

/** "Sair dos outros": ends every other browser and program; this one keeps all its tabs. */
export async function endOtherLogins(account: LockedAccount): Promise<void> {
  const { trx, user, session } = account
  const ownLogin = session?.login_id ?? null
  if (ownLogin === null) return endSessions(account, 'others')
  await trx.deleteFrom('auth_logins').where('user_id', '=', user.id).where('id', '!=', ownLogin).execute()
  await trx.deleteFrom('auth_sessions').where('user_id', '=', user.id).where('login_id', 'is', null).execute()
}

/** Ends a browser's login with all its tabs, or a program's session. Returns whether there was one. */
export async function endLogin({ trx, user }: LockedAccount, id: string): Promise<boolean> {
  const login = await trx
    .deleteFrom('auth_logins')
    .where('id', '=', id)
    .where('user_id', '=', user.id)
    .executeTakeFirst()
  const session = await trx
    .deleteFrom('auth_sessions')
    .where('id', '=', id)
    .where('user_id', '=', user.id)
    .where('login_id', 'is', null)
    .executeTakeFirst()
  return login.numDeletedRows + session.numDeletedRows > 0n
}

/** Ends the login of a cookie. Returns whether there was one. */
export async function endLoginOfCookie({ trx, user }: LockedAccount, tokenHash: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('auth_logins')
    .where('token_hash', '=', tokenHash)
    .where('user_id', '=', user.id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Of everybody: the key that signs their tokens is gone. */
export async function endEverySession(trx: Db): Promise<void> {
  await trx.deleteFrom('auth_logins').execute()
  await trx.deleteFrom('auth_sessions').execute()
}

/** For programs with their own session, without a browser's login. */
export const SESSION_IDLE_MS = 30 * DAY_MS

/** Not older than seven days, nor unused for twelve hours. */
export function isLoginAlive(login: { expires_at: string; last_used_at: string }, now: number): boolean {
  // A last use in the future comes from a wrong clock; the next use corrects it.
  return isLoginOpen(login.expires_at, now) && Date.parse(login.last_used_at) + LOGIN_IDLE_MS > now
}

/** Not older than seven days. */
export function isLoginOpen(expiresAt: string, now: number): boolean {
  return isUnexpired(expiresAt, LOGIN_MAX_MS, now)
}
