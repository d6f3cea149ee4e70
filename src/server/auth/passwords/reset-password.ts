import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import type { AuthContext } from '../auth-context.ts'
import { forgetWrongGuesses } from '../endpoints/token/login-limits.ts'
import { forgetFirstPassword } from '../keys/app-secret.ts'
import { sendNotice } from '../mail/send-notice.ts'
import { deleteTokens } from '../one-time-tokens/delete-tokens.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { findUserByEmail } from '../users/find-user.ts'
import { deletePasskeys } from '../webauthn/delete-passkeys.ts'
import { generatePassword } from './generate-password.ts'

/** For operators: a new password, every session ended, the lock after wrong guesses lifted. Null when nobody has that address. */
export async function resetPassword(context: AuthContext, email: string): Promise<string | null> {
  const { db, passwords } = context
  const user = await findUserByEmail(db, email)
  if (user === undefined) return null
  const password = generatePassword()
  const passwordHash = await passwords.hash(password)
  const now = new Date().toISOString()
  await change(db, async (trx) => {
    await trx
      .updateTable('auth_users')
      .set({
        password_hash: passwordHash,
        banned_until: null,
        email_confirmed_at: user.email_confirmed_at ?? now,
        mailbox_proved_at: user.mailbox_proved_at ?? now,
        updated_at: now,
      })
      .where('id', '=', user.id)
      .execute()
    await deletePasskeys(trx, user.id)
    await endSessions(trx, user.id)
    await deleteTokens(trx, user.id)
    await forgetWrongGuesses(trx, user.email)
    await forgetFirstPassword(trx, user.id)
    await recordAudit(trx, {
      actor_id: null,
      actor: 'command line',
      action: 'user.password_changed',
      subject: user.id,
    })
  })
  sendNotice(context, { user, kind: 'password', by: 'operator' })
  return password
}
