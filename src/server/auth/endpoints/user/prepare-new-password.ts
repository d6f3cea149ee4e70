import type { AuthContext } from '#server/auth/auth-context.ts'
import { findByCode, spendToken, type TokenRow } from '#server/auth/one-time-tokens/find-token.ts'
import { checkPassword } from '#server/auth/passwords/check-password.ts'
import type { Seat } from '#server/auth/passwords/password-hasher.ts'
import { proveOwnPassword, requireOwnPassword } from '#server/auth/passwords/prove-own-password.ts'
import { authError } from '#server/auth/protocol/auth-error.ts'
import type { AccountState, LockedAccount } from '#server/auth/users/change-account.ts'

interface PasswordChange {
  password: string
  current_password: string
  nonce: string
  seat: Seat
}

export interface PreparedPassword {
  passwordHash: string
  /** On the locked account: what proved the person still does, and is spent. */
  admit: (account: LockedAccount) => Promise<void>
}

/**
 * Every rule for a person's own new password. The code that `/reauthenticate` mails stands for the current one: it proves
 * the mailbox, by which anybody could have asked for a new password.
 */
export async function prepareNewPassword(
  context: AuthContext,
  account: AccountState,
  { password, current_password: current, nonce, seat }: PasswordChange,
): Promise<PreparedPassword> {
  const { user } = account
  await checkPassword(password, [user.email, context.config.site.brandName], seat)
  const admit = await prove(context, account, { current, nonce, seat })
  if (user.password_hash !== null && (await context.passwords.verify(user.password_hash, password, seat)))
    throw authError(422, 'same_password', 'New password should be different from the old password.')
  return { passwordHash: await context.passwords.hash(password, seat), admit }
}

async function prove(
  context: AuthContext,
  seen: AccountState,
  { current, nonce, seat }: { current: string; nonce: string; seat: Seat },
): Promise<PreparedPassword['admit']> {
  if (current === '' && nonce !== '') {
    const token = await findNonce(context, seen, nonce)
    return async (account) => {
      if (token.sent_to !== account.user.email || !(await spendToken(account.trx, token.id))) throw badNonce()
    }
  }
  if (current !== '') await proveOwnPassword(context, seen.user, current, seat)
  const provedHash = current === '' ? null : seen.user.password_hash
  requireOwnPassword(seen, provedHash)
  return async (account) => requireOwnPassword(account, provedHash)
}

async function findNonce(
  { db, codeSecret }: AuthContext,
  { user }: AccountState,
  nonce: string,
): Promise<TokenRow> {
  const token = await findByCode(db, codeSecret, {
    code: nonce.trim(),
    sentTo: user.email,
    kinds: ['reauthentication'],
  })
  if (token?.user_id !== user.id) throw badNonce()
  return token
}

function badNonce(): Error {
  return authError(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid')
}
