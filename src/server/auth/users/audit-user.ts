import type { UserRow } from './user-object.ts'

/** What the audit trail keeps of a user: never a hash, and no metadata that scripts may have filled with anything. */
export function auditedUser(user: UserRow): Record<string, unknown> {
  return {
    email: user.email,
    ...(user.email_confirmed_at === null ? { confirmed: false } : {}),
    ...(user.banned_until === null ? {} : { banned_until: user.banned_until }),
    ...(user.deleted_at === null ? {} : { deleted_at: user.deleted_at }),
  }
}
