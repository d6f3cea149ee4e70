import type { Db } from './database.ts'

/** Everybody who has a role and may sign in: the only people who are told by mail about the site. */
export function selectAdministrators(db: Db, now: number) {
  return db
    .selectFrom('auth_users')
    .innerJoin('admin_roles', 'admin_roles.user_id', 'auth_users.id')
    .where('auth_users.deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('auth_users.banned_until', 'is', null),
        eb('auth_users.banned_until', '<=', new Date(now).toISOString()),
      ]),
    )
}
