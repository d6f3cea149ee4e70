import type { AuthContext } from '../auth-context.ts'
import { forgetWrongGuesses } from '../endpoints/token/login-limits.ts'
import { forgetFirstPassword } from '../keys/app-secret.ts'
import { sendNotice } from '../mail/send-notice.ts'
import { changeAccount, OPERATOR_ACTOR } from '../users/change-account.ts'
import { findUserByEmail } from '../users/find-user.ts'
import { generatePassword } from './generate-password.ts'

/** For operators: a new password, every session ended, the lock after wrong guesses lifted. Null when nobody has that address. */
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
      await account.update({
        password_hash: passwordHash,
        banned_until: null,
        email_confirmed_at: account.user.email_confirmed_at ?? now,
        mailbox_proved_at: account.user.mailbox_proved_at ?? now,
        updated_at: now,
      })
      await account.revoke('password_by_other')
      await forgetWrongGuesses(account.trx, account.user.email)
      await forgetFirstPassword(account.trx, account.user.id)
      await account.audit('user.password_changed')
    },
  })
  sendNotice(context, { user, kind: 'password', by: 'operator' })
  return password
}
