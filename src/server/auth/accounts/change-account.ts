import type { Updateable } from 'kysely'
import { recordAudit } from '#server/activity/trail.ts'
import type { Db } from '#server/db/database.ts'
import { engineOf } from '#server/db/dialect.ts'
import type { AuthUsers } from '#server/db/schema/auth.ts'
import { change } from '#server/db/transactions/change.ts'
import type { Actor } from '#server/http/security/administrators.ts'
import { EMAIL_CHANGE_KINDS } from '../one-time-tokens/tokens.ts'
import { authError, fitsMetadata, METADATA_TOO_LARGE, toJson, validationFailed } from '../protocol.ts'
import { endSessions, isLoginOpen } from '../sessions/revoke.ts'
import { deleteFactors, deletePasskeys, deleteRecoveryCodes, deleteTokens } from './credentials.ts'
import { accessRefusal } from './rules.ts'
import {
  type FactorRow,
  findFactors,
  findUserById,
  hasGeneratedPassword,
  markPassword,
  type SessionRow,
  type UserRow,
} from './users.ts'

/**
 * Keeps the account, deletes its holder's password, factors, codes and sessions, and confirms the address. Without a
 * new password the holder signs in by email.
 */
export async function handOverAccount(
  account: LockedAccount,
  passwordHash: string | null,
  { generated = false } = {},
): Promise<void> {
  const now = new Date().toISOString()
  const columns = {
    password_hash: passwordHash,
    user_metadata: '{}',
    new_email: null,
    banned_until: null,
    deleted_at: null,
    email_confirmed_at: now,
    mailbox_proved_at: now,
    // The new holder has not signed in yet.
    last_sign_in_at: null,
    updated_at: now,
  }
  await account.update(columns, { generated })
  await account.revoke('handed_over')
}

/** What the audit trail stores of a user: no hash, and no metadata, which scripts can fill. */
export function auditedUser(user: UserRow): Record<string, unknown> {
  return {
    email: user.email,
    ...(user.email_confirmed_at === null ? { confirmed: false } : {}),
    ...(user.banned_until === null ? {} : { banned_until: user.banned_until }),
    ...(user.deleted_at === null ? {} : { deleted_at: user.deleted_at }),
  }
}

/**
 * Whoever used an emailed token can read that mailbox. Password, factors and sessions from before may belong to a
 * stranger, so they are deleted.
 */
export async function confirmEmail(account: LockedAccount): Promise<void> {
  const { user } = account
  if (user.email_confirmed_at !== null && user.mailbox_proved_at !== null) return
  const now = new Date().toISOString()
  const isFirstProof = user.mailbox_proved_at === null
  if (isFirstProof) await account.revoke('handed_over')
  await account.update({
    email_confirmed_at: user.email_confirmed_at ?? now,
    mailbox_proved_at: user.mailbox_proved_at ?? now,
    updated_at: now,
    ...(isFirstProof ? { password_hash: null } : {}),
  })
}

/** The protocol's merge: keys are added or replaced, and null removes one. */
export function mergeMetadata(
  current: Record<string, unknown>,
  change: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...current, ...change }
  const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
  if (Object.keys(change).length > 0 && !fitsMetadata(kept)) throw validationFailed(METADATA_TOO_LARGE)
  return kept
}

/** An account and the calling session; null without one: an emailed token, a service key, the operator. */
export interface AccountState {
  readonly user: UserRow
  readonly factors: readonly FactorRow[]
  readonly session: SessionRow | null
}

export interface Who {
  userId: string
  /** For people who act on their own account: the session must be open and theirs. */
  sessionId?: string | undefined
  /** Actor in the audit trail; defaults to the person. */
  by?: Actor
}

interface Ends {
  sessions: 'all' | 'others'
  passkeys?: 'all' | 'sign-in'
  mails?: 'kept' | 'kept while unproved'
}

/**
 * What each change ends. With `others`, the current session is kept. Whoever registered somebody else's address could
 * end the owner's recovery links by changing the password, so these are kept until the mailbox is proved.
 */
const REVOKES = {
  own_password: { sessions: 'others', mails: 'kept while unproved' },
  email_or_role: { sessions: 'others' },
  password_by_other: { sessions: 'all', passkeys: 'sign-in' },
  email_confirmed: { sessions: 'all' },
  factors_removed: { sessions: 'all', passkeys: 'all', mails: 'kept' },
  /** Every credential of the former holder ends. */
  handed_over: { sessions: 'all', passkeys: 'all' },
} as const satisfies Record<string, Ends>

/**
 * An account whose row is locked until the transaction ends. Only `lock` creates one, and all code that writes an
 * account, its sessions, factors, passkeys or codes requires one.
 */
export class LockedAccount implements AccountState {
  readonly trx: Db
  readonly factors: readonly FactorRow[]
  readonly session: SessionRow | null
  readonly #by: Actor | undefined
  #user: UserRow

  private constructor(trx: Db, state: AccountState, by: Actor | undefined) {
    this.trx = trx
    this.#user = state.user
    this.factors = state.factors
    this.session = state.session
    this.#by = by
  }

  /** Undefined if there is no such account. Refuses an ended session, or one of a person who may not act. */
  static async lock(trx: Db, { userId, sessionId, by }: Who): Promise<LockedAccount | undefined> {
    const user = await lockRow(trx, userId)
    if (user === undefined) return undefined
    const session = sessionId === undefined ? null : await requireSession(trx, user, sessionId, true)
    return new LockedAccount(trx, { user, session, factors: await findFactors(trx, userId) }, by)
  }

  get user(): UserRow {
    return this.#user
  }

  /** A new password is one that a person chose, unless `generated` says that the program made it. */
  async update(columns: Updateable<AuthUsers>, { generated = false } = {}): Promise<UserRow> {
    const known = columns.app_metadata === undefined && columns.password_hash !== undefined
    const isMarked = generated || hasGeneratedPassword(this.#user.app_metadata)
    this.#user = await this.trx
      .updateTable('auth_users')
      .set({
        ...columns,
        ...(known && isMarked
          ? { app_metadata: toJson(markPassword(this.#user.app_metadata, generated)) }
          : {}),
      })
      .where('id', '=', this.#user.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return this.#user
  }

  async delete(): Promise<void> {
    await this.trx.deleteFrom('auth_users').where('id', '=', this.#user.id).execute()
  }

  async revoke(cause: keyof typeof REVOKES): Promise<void> {
    const ends: Ends = REVOKES[cause]
    if (ends.passkeys === 'all') {
      await deleteFactors(this)
      await deleteRecoveryCodes(this)
    }
    if (ends.passkeys !== undefined) await deletePasskeys(this, ends.passkeys)
    if (ends.mails !== 'kept') {
      const isKept = ends.mails === 'kept while unproved' && this.#user.mailbox_proved_at === null
      await deleteTokens(this, isKept ? [...EMAIL_CHANGE_KINDS, 'reauthentication'] : 'all')
    }
    await endSessions(this, ends.sessions)
  }

  audit(action: string, facts: { subject?: string; before?: unknown; after?: unknown } = {}): Promise<void> {
    const by = this.#by ?? { actor_id: this.#user.id, actor: this.#user.email }
    return recordAudit(this.trx, { ...by, action, subject: this.#user.id, ...facts })
  }
}

/** Throws `user_not_found`, and the errors of `requireSession`. */
export async function lockAccount(trx: Db, who: Who): Promise<LockedAccount> {
  const account = await LockedAccount.lock(trx, who)
  if (account === undefined) throw unknownUser(who)
  return account
}

/** Reads the account without a lock, for reading or for checks before slow work. */
export async function readAccount(db: Db, who: Who): Promise<AccountState> {
  const user = await findUserById(db, who.userId)
  if (user === undefined) throw unknownUser(who)
  const session = who.sessionId === undefined ? null : await requireSession(db, user, who.sessionId, false)
  return { user, session, factors: await findFactors(db, user.id) }
}

interface Change<Prepared, Result> {
  /** Rules: checked before the slow work, to save it, and again on the locked rows. */
  check?: (account: AccountState) => void
  /** Slow work outside of the transaction: verify, check, hash. Null if there is nothing to do. */
  prepare?: (seen: AccountState) => Promise<Prepared>
  write: (account: LockedAccount, prepared: Prepared) => Promise<Result>
}

/**
 * The one way to change an account. Everything is decided in the transaction that writes: what was checked before the
 * slow work is checked again on the locked rows, and an ended session changes nothing.
 */
export async function changeAccount<Result, Prepared = undefined>(
  db: Db,
  who: Who,
  { check, prepare, write }: Change<Prepared, Result>,
): Promise<Result> {
  const seen = prepare === undefined ? undefined : await readAccount(db, who)
  if (seen !== undefined) check?.(seen)
  const prepared = seen === undefined ? undefined : await prepare?.(seen)
  return change(db, async (trx) => {
    const account = await lockAccount(trx, who)
    const isProof = who.sessionId !== undefined && prepared != null
    // A proof counts for the password that was checked.
    if (isProof && seen?.user.password_hash !== account.user.password_hash)
      throw authError(409, 'conflict', 'The password was changed meanwhile')
    check?.(account)
    return write(account, prepared as Prepared)
  })
}

/** Not `for update`, because every new session of this person would wait for it. */
function lockRow(trx: Db, id: string): Promise<UserRow | undefined> {
  const row = trx.selectFrom('auth_users').selectAll().where('id', '=', id)
  return (engineOf(trx) === 'postgres' ? row.forNoKeyUpdate() : row).executeTakeFirst()
}

/** The open session of a person who may act, locked until the transaction ends. */
async function requireSession(
  db: Db,
  user: UserRow,
  sessionId: string,
  isHeld: boolean,
): Promise<SessionRow> {
  const refusal = accessRefusal(user)
  if (refusal === 'user_not_found') throw unknownUser({ userId: user.id, sessionId })
  const session = await findSession(db, sessionId, user.id, isHeld)
  if (session === undefined)
    throw authError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  if (refusal === 'user_banned') throw authError(403, 'user_banned', 'User is banned')
  return session
}

/** An open session. Locks the login first, in the common order, to avoid deadlocks. */
export async function findSession(
  db: Db,
  sessionId: string,
  userId: string,
  isHeld = false,
): Promise<SessionRow | undefined> {
  const holds = isHeld && engineOf(db) === 'postgres'
  const query = db
    .selectFrom('auth_sessions as s')
    .leftJoin('auth_logins as l', 'l.id', 's.login_id')
    .selectAll('s')
    .select('l.expires_at as login_expires_at')
    .where('s.id', '=', sessionId)
    .where('s.user_id', '=', userId)
  const row = await query.executeTakeFirst()
  if (row === undefined) return undefined
  const { login_expires_at: loginExpiresAt, ...session } = row
  if (loginExpiresAt !== null && !isLoginOpen(loginExpiresAt, Date.now())) return undefined
  if (!holds) return session
  if (session.login_id !== null)
    await db.selectFrom('auth_logins').select('id').where('id', '=', session.login_id).forKeyShare().execute()
  return db
    .selectFrom('auth_sessions')
    .selectAll()
    .where('id', '=', sessionId)
    .forKeyShare()
    .executeTakeFirst()
}

function unknownUser({ sessionId }: Who): Error {
  return sessionId === undefined
    ? authError(404, 'user_not_found', 'User not found')
    : authError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
}
