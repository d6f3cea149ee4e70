import { isStillAhead } from '#server/db/stored-time.ts'
import { LOGIN_IDLE_MS, LOGIN_MAX_MS } from './login-cookie.ts'

/** Neither past its seven days nor unused for twelve hours. */
export function isLoginAlive(login: { expires_at: string; last_used_at: string }, now: number): boolean {
  // A last use in the future was written under a wrong clock; the next use corrects it.
  return isLoginOpen(login.expires_at, now) && Date.parse(login.last_used_at) + LOGIN_IDLE_MS > now
}

/** Not past its seven days. */
export function isLoginOpen(expiresAt: string, now: number): boolean {
  return isStillAhead(expiresAt, LOGIN_MAX_MS, now)
}
