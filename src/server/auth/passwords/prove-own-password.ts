import { PASSWORD_MAX_LENGTH } from '#contract/admin-user.ts'
import { OWN_PASSWORD_GUESSES } from '#server/http/limits.ts'
import { countHit, forgetHits } from '#server/http/rate-limit.ts'
import type { AuthContext } from '../auth-context.ts'
import { authError, rateLimited } from '../protocol/auth-error.ts'
import type { Seat } from './password-hasher.ts'

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
