import type { SessionRow } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { findByCode, spendToken } from '#server/auth/one-time-tokens/find-token.ts'
import { checkPassword } from '#server/auth/passwords/check-password.ts'
import type { Seat } from '#server/auth/passwords/password-hasher.ts'
import { proveOwnPassword } from '#server/auth/passwords/prove-own-password.ts'
import { authError } from '#server/auth/protocol/auth-error.ts'
import type { UserRow } from '#server/auth/users/user-object.ts'
import { isStillAhead } from '#server/db/stored-time.ts'

/** Past this age a session alone does not prove who uses it. */
const FRESH_SESSION_MS = 24 * 60 * 60 * 1000

interface PasswordChange {
  user: UserRow
  session: SessionRow
  password: string
  current_password: string
  nonce: string
  seat: Seat
}

/** Every rule for a person's own new password; gives back its hash. */
export async function prepareNewPassword(context: AuthContext, change: PasswordChange): Promise<string> {
  const { user, session, password, current_password: current, nonce, seat } = change
  await checkPassword(password, [user.email, context.config.site.brandName])
  if (current !== '') await proveOwnPassword(context, user, current, seat)
  else if (!isFresh(await signedInAt(context, session))) await proveByNonce(context, user, nonce)
  if (user.password_hash !== null && (await context.passwords.verify(user.password_hash, password, seat)))
    throw authError(422, 'same_password', 'New password should be different from the old password.')
  return context.passwords.hash(password, seat)
}

function isFresh(signedInAt: string, now = Date.now()): boolean {
  return isStillAhead(Date.parse(signedInAt) + FRESH_SESSION_MS, FRESH_SESSION_MS, now)
}

/** A tab is no younger than the login that it was opened from. */
async function signedInAt({ db }: AuthContext, session: SessionRow): Promise<string> {
  if (session.login_id === null) return session.created_at
  const login = await db
    .selectFrom('auth_logins')
    .select('created_at')
    .where('id', '=', session.login_id)
    .executeTakeFirstOrThrow()
  return login.created_at
}

async function proveByNonce({ db, codeSecret }: AuthContext, user: UserRow, nonce: string): Promise<void> {
  if (nonce === '')
    throw authError(400, 'reauthentication_needed', 'Password update requires reauthentication')
  const token = await findByCode(db, codeSecret, {
    code: nonce.trim(),
    sentTo: user.email,
    kinds: ['reauthentication'],
  })
  const isGood = token?.user_id === user.id && (await spendToken(db, token.id))
  if (!isGood) throw authError(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid')
}
