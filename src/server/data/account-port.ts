import type { AdminRole } from '#contract/admin-user.ts'
import type { Db } from '../db/database.ts'
import type { Caller } from '../http/caller.ts'

export interface NewAccount {
  id: string
  /** Normalised. */
  email: string
  passwordHash: string
  role: AdminRole
  /** ISO time that login and role are made with. */
  createdAt: string
}

/** Only what really changes; the e-mail is normalised. */
export interface AccountChange {
  email?: string
  role?: AdminRole
  passwordHash?: string
}

/**
 * How the data service changes logins, which belong to the auth service: `admin_users` is their join with the roles.
 * Every write gets the transaction that it is part of, and the audit row is the data service's: an implementation
 * writes none.
 */
export interface AccountPort {
  /** The normalised e-mail that makes its account the principal admin. */
  readonly principalEmail: string
  /**
   * Judges the password (`AppError` with code `weak_password` and `details.reasons`) and hashes it.
   * Slow, so it is never called inside a transaction.
   */
  preparePassword(password: string, email: string | null): Promise<string>
  /** Makes login and role. An e-mail or id that is taken fails as the database's unique violation. */
  create(trx: Db, account: NewAccount): Promise<void>
  /**
   * Changes login and role, and ends that person's sessions: all of them, but for the one that the caller uses when
   * people edit themselves.
   */
  update(trx: Db, userId: string, change: AccountChange, caller: Caller): Promise<void>
  /** Removes login, role and sessions. */
  remove(trx: Db, userId: string, caller: Caller): Promise<void>
}
