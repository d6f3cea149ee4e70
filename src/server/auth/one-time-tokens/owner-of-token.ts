import type { Db } from '#server/db/database.ts'
import { authError } from '../protocol/auth-error.ts'
import { findUserById } from '../users/find-user.ts'
import type { UserRow } from '../users/user-object.ts'
import type { TokenRow } from './find-token.ts'

/** Whom a token lets in, if it still may. */
export async function ownerOfToken(db: Db, token: TokenRow, fail: () => Error): Promise<UserRow> {
  const user = await findUserById(db, token.user_id)
  if (user === undefined || user.deleted_at !== null) throw fail()
  // Sent to an address that is not this person's any more.
  const address = token.kind === 'email_change_new' ? user.new_email : user.email
  if (token.sent_to !== address) throw fail()
  if (user.banned_until !== null && Date.parse(user.banned_until) > Date.now())
    throw authError(403, 'user_banned', 'User is banned')
  return user
}
