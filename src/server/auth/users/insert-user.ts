import { randomUUID } from 'node:crypto'
import type { Db } from '#server/db/database.ts'
import { toJson } from '../protocol/read-body.ts'
import { checkEmail } from './check-email.ts'
import type { UserRow } from './user-object.ts'

export interface NewUser {
  id?: string
  email: string
  passwordHash: string | null
  confirmed: boolean
  /** Signed up by themselves: nobody but they say that the address is theirs. */
  isStranger?: true
  isInvited?: true
  userMetadata?: Record<string, unknown>
  appMetadata?: Record<string, unknown>
  tokenRole?: string
  bannedUntil?: string | null
}

/** Null when the address, or the id, is taken already. */
export async function insertUser(trx: Db, user: NewUser, now = new Date()): Promise<UserRow | null> {
  const at = now.toISOString()
  const row = await trx
    .insertInto('auth_users')
    .values({
      id: user.id ?? randomUUID(),
      email: checkEmail(user.email),
      password_hash: user.passwordHash,
      user_metadata: toJson(user.userMetadata ?? {}),
      app_metadata: toJson({ provider: 'email', providers: ['email'], ...user.appMetadata }),
      email_confirmed_at: user.confirmed ? at : null,
      mailbox_proved_at: user.isStranger ? null : at,
      ...(user.isInvited ? { invited_at: at } : {}),
      token_role: user.tokenRole ?? 'authenticated',
      banned_until: user.bannedUntil ?? null,
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}
