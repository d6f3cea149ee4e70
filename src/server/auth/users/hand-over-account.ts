import type { Db } from '../../db/database.ts'
import { forgetTokens } from '../one-time/issue-token.ts'
import { toJson } from '../read-body.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import type { UserRow } from './user-object.ts'

/** The account stays; every way in that its holder had ends, and the operator stands for its address. */
export async function handOverAccount(trx: Db, user: UserRow, passwordHash: string): Promise<void> {
  const now = new Date().toISOString()
  await trx
    .updateTable('auth_users')
    .set({
      password_hash: passwordHash,
      user_metadata: toJson({ email_verified: true }),
      new_email: null,
      banned_until: null,
      deleted_at: null,
      email_confirmed_at: now,
      mailbox_proved_at: now,
      updated_at: now,
    })
    .where('id', '=', user.id)
    .execute()
  await trx.deleteFrom('auth_factors').where('user_id', '=', user.id).execute()
  await trx.deleteFrom('auth_recovery_codes').where('user_id', '=', user.id).execute()
  await forgetTokens(trx, user.id)
  await endSessions(trx, user.id)
}
