import type { Db } from '../db/database.ts'
import type { Caller } from '../http/caller.ts'

interface NewAccount {
  id: string
  /** Normalised. */
  email: string
  passwordHash: string
  role: string
}

interface GrantedRole extends Omit<NewAccount, 'passwordHash'> {
  passwordHash: string | null
}

/** Only what really changes; the e-mail is normalised. */
export interface AccountChange {
  email?: string
  role?: string
  passwordHash?: string
  /** What `proveOwnPassword` gave. */
  provedHash?: string | null
  /** Becomes the row's `updated_at`. */
  version?: string
}

/**
 * How the data service changes logins, which belong to the auth service: `admin_users` is their join with the roles.
 * Every write is part of the transaction that it is given, and writes its own audit row there. A taken e-mail is an
 * `AppError` with code `email_exists`.
 */
export interface AccountPort {
  /**
   * Judges the password (`AppError` with code `weak_password` and `details.reasons`) and hashes it. Slow, so it is
   * never called inside a transaction. An unknown e-mail is the empty text.
   */
  hashPassword(password: string, email: string): Promise<string>
  /**
   * Judges the password that people show who edit themselves (`AppError` with code `current_password_invalid`). Slow,
   * too. Null for a caller that is no person.
   */
  proveOwnPassword(caller: Caller, password: string): Promise<string | null>
  /** The login of this address, or null. */
  findLoginId(email: string): Promise<string | null>
  /**
   * Gives a role to the login of this id and address, false when there is none. A login whose address its holder has
   * proved keeps its password, unless another is given. Any other is handed over: its password, second factors and
   * sessions end. One that has a role, or is shut out, counts as a taken e-mail.
   */
  grantRole(trx: Db, account: GrantedRole, caller: Caller): Promise<boolean>
  /** Makes login and role. */
  create(trx: Db, account: NewAccount, caller: Caller): Promise<unknown>
  /**
   * Changes login and role, and ends that person's sessions: all of them, but for the one that the caller uses when
   * people edit themselves, which takes their password (`AppError` with code `current_password_required`).
   */
  update(trx: Db, userId: string, change: AccountChange, caller: Caller): Promise<void>
  /** Gives the row a new version and changes nothing else. */
  touch(trx: Db, userId: string, version: string): Promise<void>
  /** Removes login, role and sessions. */
  remove(trx: Db, userId: string, caller: Caller): Promise<void>
}
