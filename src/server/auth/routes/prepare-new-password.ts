import type { FastifyRequest } from 'fastify'
import { addressBlock } from '../../http/address-block.ts'
import type { AuthContext } from '../auth-context.ts'
import { authError } from '../auth-error.ts'
import { countWrongGuess, refuseWhenLocked } from '../login-limits.ts'
import { checkPassword } from '../passwords/check-password.ts'
import type { SessionRow } from '../require-user.ts'
import type { UserRow } from '../users/user-object.ts'

/** Past this age a session alone is no proof that its owner still sits there. */
const FRESH_SESSION_MS = 24 * 60 * 60 * 1000

interface PasswordChange {
  user: UserRow
  session: SessionRow
  password: string
  current_password: string
}

/** Every rule for a person's own new password; gives back its hash. */
export async function prepareNewPassword(
  context: AuthContext,
  request: FastifyRequest,
  change: PasswordChange,
): Promise<string> {
  const { user, session, password, current_password: current } = change
  await checkPassword(password, [user.email, context.config.site.brandName])
  if (current !== '') await proveCurrentPassword(context, request, user, current)
  else if (Date.parse(session.created_at) + FRESH_SESSION_MS <= Date.now())
    throw authError(400, 'reauthentication_needed', 'Password update requires reauthentication')
  if (user.password_hash !== null && (await context.passwords.verify(user.password_hash, password)))
    throw authError(422, 'same_password', 'New password should be different from the old password.')
  return context.passwords.hash(password)
}

async function proveCurrentPassword(
  context: AuthContext,
  request: FastifyRequest,
  user: UserRow,
  current: string,
): Promise<void> {
  const guess = { email: user.email, address: addressBlock(request.ip), device: null }
  await refuseWhenLocked(context.db, guess)
  if (await context.passwords.verify(user.password_hash, current)) return
  await countWrongGuess(context.db, guess)
  throw authError(400, 'current_password_invalid', 'Current password required when setting new password.')
}
