import { PASSWORD_MAX_LENGTH } from '#contract/accounts.ts'
import { isStillAhead } from '#server/db/stored-time.ts'
import { OWN_PASSWORD_GUESSES } from '#server/http/limits.ts'
import { countHit, forgetHits } from '#server/http/rate-limit.ts'
import type { AuthContext } from '../auth-context.ts'
import { authError, rateLimited } from '../protocol/auth-error.ts'
import type { AccountState } from '../users/change-account.ts'
import type { Seat } from './password-hasher.ts'

/** How long a mail that was used stands for the password that its reader does not know. */
const RECOVERY_MS = 60 * 60 * 1000

/**
 * The one rule for people who change how they themselves sign in, at every API: they show their current password. Exempt is a
 * new password in a session that a recovery mail or an invitation opened in the last hour; where there is no password yet,
 * any mail of ours.
 */
export function requireOwnPassword(
  account: AccountState,
  provedHash: string | null | undefined,
  { changesMore = false } = {},
): void {
  const { password_hash: stored } = account.user
  if (stored !== null && provedHash === stored) return
  if (!changesMore && isRecovering(account)) return
  throw stored === null
    ? authError(400, 'reauthentication_needed', 'Password update requires reauthentication')
    : authError(400, 'current_password_required', 'Current password required when setting new password.')
}

function isRecovering({ user, session }: AccountState, now = Date.now()): boolean {
  const methods = ['recovery', 'invite', ...(user.password_hash === null ? ['otp'] : [])]
  return (session?.amr ?? []).some(
    ({ method, timestamp }) =>
      methods.includes(method) && isStillAhead(timestamp * 1000 + RECOVERY_MS, RECOVERY_MS, now),
  )
}

/**
 * Whoever uses an open session proves that they know its password. Guesses are counted per person and apart from those
 * at the login: guessing in an open tab does not lock the owner out.
 */
export async function proveOwnPassword(
  { db, passwords }: AuthContext,
  user: { id: string; password_hash: string | null },
  current: string,
  seat?: Seat,
): Promise<void> {
  const guesses = `factor:guess:own-password:${user.id}`
  const { max, windowMs } = OWN_PASSWORD_GUESSES
  const { count, retryAfterSeconds } = await countHit(db, guesses, windowMs)
  if (count > max) throw rateLimited(retryAfterSeconds)
  const stored = current.length > PASSWORD_MAX_LENGTH ? null : user.password_hash
  if (!(await passwords.verify(stored, current.slice(0, PASSWORD_MAX_LENGTH), seat)))
    throw authError(400, 'current_password_invalid', 'Current password required when setting new password.')
  await forgetHits(db, guesses)
}
