import type { Db } from '#server/db/database.ts'
import { deleteTokens } from '../one-time-tokens/delete-tokens.ts'
import { toJson } from '../protocol/read-body.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import type { UserRow } from '../users/user-object.ts'

/** The account stays; password, factors, codes and sessions of its holder end, and the address counts as confirmed. */
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
  await deleteTokens(trx, user.id)
  await endSessions(trx, user.id)
}
