import { recordAudit } from '#server/db/audit.ts'
import type { Db } from '#server/db/database.ts'
import { auditActor, type Caller } from '#server/http/caller.ts'
import type { AuthContext } from '../auth-context.ts'
import { sendNotice } from '../mail/send-notice.ts'
import { deleteTokens } from '../one-time-tokens/delete-tokens.ts'
import { handOverAccount } from '../principal/hand-over-account.ts'
import { emailExists } from '../protocol/auth-error.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { deletePasskeys } from '../webauthn/delete-passkeys.ts'
import { findUserByEmail, isShutOut } from './find-user.ts'
import { lockUser } from './lock-user.ts'
import type { UserRow } from './user-object.ts'

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
  const user = found === undefined ? undefined : await lockUser(trx, found.id)
  if (user === undefined) return false
  if (user.id !== id || isShutOut(user) || (await hasRole(trx, user.id))) throw emailExists()
  const isProved = user.mailbox_proved_at !== null && user.email_confirmed_at !== null
  if (!isProved) await handOverAccount(trx, user, passwordHash)
  else if (passwordHash !== null) await replacePassword(trx, user, passwordHash)
  const at = new Date().toISOString()
  await trx
    .insertInto('admin_roles')
    .values({ user_id: user.id, role, created_at: at, updated_at: at })
    .execute()
  await recordAudit(trx, {
    ...auditActor(caller),
    action: 'user.role_granted',
    subject: user.id,
    before: { email: user.email, role: null },
    after: { email: user.email, role, handed_over: !isProved },
  })
  if (!isProved || passwordHash !== null) {
    sendNotice(
      context,
      { user, kind: 'password', by: 'administrator' },
      (current) => current.password_hash === passwordHash,
    )
  }
  return true
}

async function hasRole(trx: Db, userId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('admin_roles')
    .select('role')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row !== undefined
}

async function replacePassword(trx: Db, user: UserRow, passwordHash: string): Promise<void> {
  await trx
    .updateTable('auth_users')
    .set({ password_hash: passwordHash, updated_at: new Date().toISOString() })
    .where('id', '=', user.id)
    .execute()
  await deletePasskeys(trx, user.id)
  await deleteTokens(trx, user.id)
  await endSessions(trx, user.id)
}
