import type { Updateable } from 'kysely'
import { recordAudit } from '#server/activity/trail.ts'
import type { Db } from '#server/db/database.ts'
import { engineOf } from '#server/db/dialect.ts'
import type { AuthUsers } from '#server/db/schema/auth.ts'
import { change } from '#server/db/transactions/change.ts'
import type { Actor } from '#server/http/security/administrators.ts'
import { authError, fitsMetadata, METADATA_TOO_LARGE, validationFailed } from '../protocol.ts'
import { endSessions, isLoginOpen } from '../sessions/revoke.ts'
import { deleteFactors, deletePasskeys, deleteRecoveryCodes, deleteTokens } from './credentials.ts'
import { accessRefusal } from './rules.ts'
import { type FactorRow, findFactors, findUserById, type SessionRow, type UserRow } from './users.ts'

/**
 * The account stays; password, factors, codes and sessions of its holder end, and the address counts as confirmed.
 * Without a password, the way in is a mail.
 */
export async function handOverAccount(account: LockedAccount, passwordHash: string | null): Promise<void> {
  const now = new Date().toISOString()
  await account.update({
    password_hash: passwordHash,
    user_metadata: '{}',
    new_email: null,
    banned_until: null,
    deleted_at: null,
    email_confirmed_at: now,
    mailbox_proved_at: now,
    // Its new holder has not been here yet.
    last_sign_in_at: null,
    updated_at: now,
  })
  await account.revoke('handed_over')
}

/** What the audit trail keeps of a user: never a hash, and no metadata that scripts may have filled with anything. */
export function auditedUser(user: UserRow): Record<string, unknown> {
  return {
    email: user.email,
    ...(user.email_confirmed_at === null ? { confirmed: false } : {}),
    ...(user.banned_until === null ? {} : { banned_until: user.banned_until }),
    ...(user.deleted_at === null ? {} : { deleted_at: user.deleted_at }),
  }
}

/**
 * Who used what was mailed to an address can read it. Until then a stranger may have stood for it: their password, factors
 * and sessions do not become the owner's by the owner's proof.
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

/** The protocol's merge: keys are added or replaced one by one, and null removes one. */
export function mergeMetadata(
  current: Record<string, unknown>,
  change: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...current, ...change }
  const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
  if (Object.keys(change).length > 0 && !fitsMetadata(kept)) throw validationFailed(METADATA_TOO_LARGE)
  return kept
}

/** An account and the session that asks; null where none does: a mail, the service key, the operator. */
export interface AccountState {
  readonly user: UserRow
  readonly factors: readonly FactorRow[]
  readonly session: SessionRow | null
}

export interface Who {
  userId: string
  /** Of people who act on their own account: it must be alive, and theirs. */
  sessionId?: string | undefined
  /** How the audit trail names who acts; the person, when nobody else is named. */
  by?: Actor
}

/** What each change ends. A person who acts in a session of their own keeps that one where `others` end. */
const REVOKES = {
  own_password: { sessions: 'others' },
  email_or_role: { sessions: 'others' },
  password_by_other: { sessions: 'all', passkeys: 'sign-in' },
  email_confirmed: { sessions: 'all' },
  factors_removed: { sessions: 'all', passkeys: 'all', keepsMails: true },
  /** Whoever had a way in has it no more. */
  handed_over: { sessions: 'all', passkeys: 'all' },
} as const satisfies Record<
  string,
  { sessions: 'all' | 'others'; passkeys?: 'all' | 'sign-in'; keepsMails?: true }
>

/**
 * An account whose row nobody else changes until the transaction ends. Only `lock` makes one, and whatever writes an
 * account, its sessions, factors, passkeys or codes takes one: who wants to write must have locked.
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

  /** Undefined when there is no such account. A session that is over, or of somebody who may not act, is refused. */
  static async lock(trx: Db, { userId, sessionId, by }: Who): Promise<LockedAccount | undefined> {
    const user = await lockRow(trx, userId)
    if (user === undefined) return undefined
    const session = sessionId === undefined ? null : await requireSession(trx, user, sessionId, true)
    return new LockedAccount(trx, { user, session, factors: await findFactors(trx, userId) }, by)
  }

  get user(): UserRow {
    return this.#user
  }

  async update(columns: Updateable<AuthUsers>): Promise<UserRow> {
    this.#user = await this.trx
      .updateTable('auth_users')
      .set(columns)
      .where('id', '=', this.#user.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return this.#user
  }

  async delete(): Promise<void> {
    await this.trx.deleteFrom('auth_users').where('id', '=', this.#user.id).execute()
  }

  async revoke(cause: keyof typeof REVOKES): Promise<void> {
    const ends: { sessions: 'all' | 'others'; passkeys?: 'all' | 'sign-in'; keepsMails?: true } =
      REVOKES[cause]
    if (ends.passkeys === 'all') {
      await deleteFactors(this)
      await deleteRecoveryCodes(this)
    }
    if (ends.passkeys !== undefined) await deletePasskeys(this, ends.passkeys)
    if (ends.keepsMails === undefined) await deleteTokens(this)
    await endSessions(this, ends.sessions)
  }

  audit(action: string, facts: { subject?: string; before?: unknown; after?: unknown } = {}): Promise<void> {
    const by = this.#by ?? { actor_id: this.#user.id, actor: this.#user.email }
    return recordAudit(this.trx, { ...by, action, subject: this.#user.id, ...facts })
  }
}

/** Throws `user_not_found`, and whatever `requireSession` throws. */
export async function lockAccount(trx: Db, who: Who): Promise<LockedAccount> {
  const account = await LockedAccount.lock(trx, who)
  if (account === undefined) throw unknownUser(who)
  return account
}

/** The account as it is now, for what only reads it, and for what is checked before slow work begins. */
export async function readAccount(db: Db, who: Who): Promise<AccountState> {
  const user = await findUserById(db, who.userId)
  if (user === undefined) throw unknownUser(who)
  const session = who.sessionId === undefined ? null : await requireSession(db, user, who.sessionId, false)
  return { user, session, factors: await findFactors(db, user.id) }
}

interface Change<Prepared, Result> {
  /** Rules: run before the slow work, so that nobody hashes in vain, and again on the locked rows. */
  check?: (account: AccountState) => void
  /** Slow work on what was read, outside of any transaction: verify, judge, hash. Null when there is nothing to do. */
  prepare?: (seen: AccountState) => Promise<Prepared>
  write: (account: LockedAccount, prepared: Prepared) => Promise<Result>
}

/**
 * The one way to change an account. Nothing is decided outside the transaction that writes: what was checked before the
 * slow work is checked again on the locked rows, and a session that ended meanwhile changes nothing.
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
    // What a person proved, they proved of the password that was there.
    if (isProof && seen?.user.password_hash !== account.user.password_hash)
      throw authError(409, 'conflict', 'The password was changed meanwhile')
    check?.(account)
    return write(account, prepared as Prepared)
  })
}

/** Not `for update`, for which every new session of this person would wait: its reference needs the key alone. */
function lockRow(trx: Db, id: string): Promise<UserRow | undefined> {
  const row = trx.selectFrom('auth_users').selectAll().where('id', '=', id)
  return (engineOf(trx) === 'postgres' ? row.forNoKeyUpdate() : row).executeTakeFirst()
}

/** The live session of somebody who may act; held, it cannot end before the transaction does. */
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

/** A session that is not over. Held: the login first, as everything locks it, so that no two wait for each other. */
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
