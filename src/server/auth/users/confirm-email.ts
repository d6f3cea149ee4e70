import type { Db } from '#server/db/database.ts'
import { closeEveryWayIn } from './close-every-way-in.ts'
import { lockUser } from './lock-user.ts'
import type { UserRow } from './user-object.ts'

/**
 * Who used what was mailed to an address can read it. Until then a stranger may have stood for it: their password, factors
 * and sessions do not become the owner's by the owner's proof.
 */
export async function confirmEmail(trx: Db, known: UserRow): Promise<UserRow> {
  const user = (await lockUser(trx, known.id)) ?? known
  if (user.email_confirmed_at !== null && user.mailbox_proved_at !== null) return user
  const now = new Date().toISOString()
  const isFirstProof = user.mailbox_proved_at === null
  if (isFirstProof) await closeEveryWayIn(trx, user.id)
  return trx
    .updateTable('auth_users')
    .set({
      email_confirmed_at: user.email_confirmed_at ?? now,
      mailbox_proved_at: user.mailbox_proved_at ?? now,
      updated_at: now,
      ...(isFirstProof ? { password_hash: null } : {}),
    })
    .where('id', '=', user.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}
