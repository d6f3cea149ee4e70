import { afterCommit } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import { auditActor, type Caller } from '#server/http/caller.ts'
import type { AuthContext } from '../auth-context.ts'
import { sendNotice } from '../mail/send-notice.ts'
import { handOverAccount } from '../principal/hand-over-account.ts'
import { emailExists } from '../protocol/auth-error.ts'
import { LockedAccount } from './change-account.ts'
import { findUserByEmail } from './find-user.ts'
import { accessRefusal } from './rules.ts'

export interface GrantedRole {
  id: string
  email: string
  role: string
  /** Hashed; null keeps the login's own, where it may stay. */
  passwordHash: string | null
}

/**
 * Makes an administrator of a login that exists; false when there is none. Whoever signed up with the address of a future
 * administrator must not become one by waiting: only a login whose mailbox was proved keeps its password and sessions.
 */
export async function grantRole(
  context: AuthContext,
  trx: Db,
  { id, email, role, passwordHash }: GrantedRole,
  caller: Caller,
): Promise<boolean> {
  const found = await findUserByEmail(trx, email)
  const account =
    found === undefined
      ? undefined
      : await LockedAccount.lock(trx, { userId: found.id, by: auditActor(caller) })
  if (account === undefined) return false
  const { user } = account
  const isTaken = user.id !== id || user.email !== found?.email || accessRefusal(user) !== null
  if (isTaken || (await readRole(account)) !== null) throw emailExists()
  const isProved = user.mailbox_proved_at !== null && user.email_confirmed_at !== null
  if (!isProved) await handOverAccount(account, passwordHash)
  else if (passwordHash !== null) {
    await account.update({ password_hash: passwordHash, updated_at: new Date().toISOString() })
    await account.revoke('password_by_other')
  }
  await setRole(account, role)
  await account.audit('user.role_granted', {
    before: { email: user.email, role: null },
    after: { email: user.email, role, handed_over: !isProved },
  })
  if (!isProved || passwordHash !== null)
    afterCommit(trx, () => sendNotice(context, { user, kind: 'password', by: 'administrator' }))
  return true
}

export async function readRole({ trx, user }: LockedAccount): Promise<string | null> {
  const row = await trx
    .selectFrom('admin_roles')
    .select('role')
    .where('user_id', '=', user.id)
    .executeTakeFirst()
  return row?.role ?? null
}

/** Also the version of the row in `admin_users`: `at` is when it was written. */
export async function setRole(
  { trx, user }: LockedAccount,
  role: string,
  at = new Date().toISOString(),
): Promise<void> {
  await trx
    .insertInto('admin_roles')
    .values({ user_id: user.id, role, created_at: at, updated_at: at })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ role, updated_at: at }))
    .execute()
}

export async function deleteRole({ trx, user }: LockedAccount): Promise<void> {
  await trx.deleteFrom('admin_roles').where('user_id', '=', user.id).execute()
}
