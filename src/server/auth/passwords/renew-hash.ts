import type { AuthContext } from '../auth-context.ts'
import type { UserRow } from '../users/user-object.ts'
import { isForeignHash } from './stored-hash.ts'

/** The password was just shown: a hash that is not of our making is replaced, unless somebody changed it meanwhile. */
export async function renewHash(
  { db, passwords }: AuthContext,
  user: UserRow,
  password: string,
): Promise<UserRow> {
  if (user.password_hash === null || !isForeignHash(user.password_hash)) return user
  const password_hash = await passwords.hash(password)
  const { numUpdatedRows } = await db
    .updateTable('auth_users')
    .set({ password_hash })
    .where('id', '=', user.id)
    .where('password_hash', '=', user.password_hash)
    .executeTakeFirst()
  return numUpdatedRows === 0n ? user : { ...user, password_hash }
}
