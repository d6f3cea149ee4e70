import { sql } from 'kysely'
import { normalizeEmail } from '#contract/email.ts'
import type { Db } from '#server/db/database.ts'
import type { FactorRow, UserRow, UserWithFactors } from './user-object.ts'

export function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('auth_users')
    .selectAll()
    .where(sql<string>`lower(email)`, '=', normalizeEmail(email))
    .executeTakeFirst()
}

export function findUserById(db: Db, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('auth_users').selectAll().where('id', '=', id).executeTakeFirst()
}

export function findFactors(db: Db, userId: string): Promise<FactorRow[]> {
  return db
    .selectFrom('auth_factors')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function withFactors(db: Db, user: UserRow): Promise<UserWithFactors> {
  return { ...user, factors: await findFactors(db, user.id) }
}
