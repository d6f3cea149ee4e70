import type { Db } from '#server/db/database.ts'
import { closeEveryWayIn } from '../users/close-every-way-in.ts'
import type { UserRow } from '../users/user-object.ts'

/**
 * The account stays; password, factors, codes and sessions of its holder end, and the address counts as confirmed.
 * Without a password, the way in is a mail.
 */
export async function handOverAccount(trx: Db, user: UserRow, passwordHash: string | null): Promise<void> {
  const now = new Date().toISOString()
  await trx
    .updateTable('auth_users')
    .set({
      password_hash: passwordHash,
      user_metadata: '{}',
      new_email: null,
      banned_until: null,
      deleted_at: null,
      email_confirmed_at: now,
      mailbox_proved_at: now,
      // Its new holder has not been here yet.
      last_sign_in_at: null,
      updated_at: now,
    })
    .where('id', '=', user.id)
    .execute()
  await closeEveryWayIn(trx, user.id)
}
