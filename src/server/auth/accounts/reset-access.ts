import { OPERATOR_ACTOR } from '#server/http/security/administrators.ts'
import { sendNotice } from '../account-mail.ts'
import type { AuthContext } from '../context.ts'
import { forgetWrongGuesses } from '../endpoints/token.ts'
import { findPasskeys } from '../factors/webauthn.ts'
import { forgetFirstPassword } from '../keys/app-secrets.ts'
import { generatePassword } from '../passwords/passwords.ts'
import { changeAccount } from './change-account.ts'
import { findUserByEmail } from './users.ts'

/**
 * For operators: sets a new password, ends every session and lifts the sign-in lock. Null if the address has no
 * account.
 */
export async function resetPassword(context: AuthContext, email: string): Promise<string | null> {
  const { db, passwords } = context
  const user = await findUserByEmail(db, email)
  if (user === undefined) return null
  const password = generatePassword()
  const who = { userId: user.id, by: OPERATOR_ACTOR }
  await changeAccount(db, who, {
    prepare: () => passwords.hash(password),
    write: async (account, passwordHash) => {
      const now = new Date().toISOString()
      await account.update(
        {
          password_hash: passwordHash,
          banned_until: null,
          email_confirmed_at: account.user.email_confirmed_at ?? now,
          mailbox_proved_at: account.user.mailbox_proved_at ?? now,
          updated_at: now,
        },
        { generated: true },
      )
      await account.revoke('password_by_other')
      await forgetWrongGuesses(account.trx, account.user.email)
      await forgetFirstPassword(account.trx, account.user.id)
      await account.audit('user.password_changed')
      await sendNotice(context, account.trx, { user: account.user, kind: 'password', by: 'operator' })
    },
  })
  return password
}

interface RemovedFactors {
  /** Verified factors. */
  factors: number
  passkeys: number
}

/** For operators, when a phone is lost. Returns what was removed; null if the address has no account. */
export async function removeFactors(context: AuthContext, email: string): Promise<RemovedFactors | null> {
  const { db } = context
  const user = await findUserByEmail(db, email)
  if (user === undefined) return null
  return changeAccount(
    db,
    { userId: user.id, by: OPERATOR_ACTOR },
    {
      write: async (account) => {
        const factors = account.factors.map(({ id, status }) => ({ id, status }))
        const passkeys = (await findPasskeys(account.trx, user.id, 'all')).map(({ id }) => ({ id }))
        await account.revoke('factors_removed')
        await account.audit('auth.factors_removed', { before: { factors, passkeys } })
        const verified = factors.filter(({ status }) => status === 'verified')
        if (verified.length + passkeys.length > 0)
          await sendNotice(context, account.trx, {
            user: account.user,
            kind: 'factors-removed',
            by: 'operator',
          })
        return { factors: verified.length, passkeys: passkeys.length }
      },
    },
  )
}
