import { PASSWORD_MAX_LENGTH } from '#contract/admin-user.ts'
import type { AuthContext } from '../auth-context.ts'
import { authError } from '../protocol/auth-error.ts'
import { countGuess, forgetGuesses } from '../second-factors/factor-limits.ts'

/**
 * Whoever uses an open session proves that they know its password. Guesses are counted per person and apart from those
 * at the login: guessing in an open tab does not lock the owner out.
 */
export async function proveOwnPassword(
  { db, passwords }: AuthContext,
  user: { id: string; password_hash: string | null },
  current: string,
): Promise<void> {
  const guesses = `own-password:${user.id}`
  await countGuess(db, guesses)
  const stored = current.length > PASSWORD_MAX_LENGTH ? null : user.password_hash
  if (!(await passwords.verify(stored, current.slice(0, PASSWORD_MAX_LENGTH))))
    throw authError(400, 'current_password_invalid', 'Current password required when setting new password.')
  await forgetGuesses(db, guesses)
}
