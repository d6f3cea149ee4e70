import { sql } from 'kysely'
import { normalizeEmail } from '#contract/email.ts'
import { afterCommit } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/app-error.ts'
import { auditActor, type Caller } from '#server/http/caller.ts'
import type { AuthContext } from '../auth-context.ts'
import { sendNotice } from '../mail/send-notice.ts'
import { checkPassword } from '../passwords/check-password.ts'
import { proveOwnPassword, requireOwnPassword } from '../passwords/prove-own-password.ts'
import { emailExists } from '../protocol/auth-error.ts'
import { type LockedAccount, lockAccount } from './change-account.ts'
import { findUserByEmail, findUserById } from './find-user.ts'
import { type GrantedRole, grantRole, readRole, setRole } from './grant-role.ts'
import { insertUser } from './insert-user.ts'
import { refuseChangeOfPrincipal, refuseRemovalOfPrincipal } from './rules.ts'

export interface NewAccount {
  id?: string
  email: string
  passwordHash: string
  role: string
}

/** Far more people than run one site. */
const MAX_EMAILS = 200

interface AccountChange {
  email?: string
  passwordHash?: string
  role?: string
  /** What `proveOwnPassword` gave: asked of people who edit themselves. */
  provedHash?: string | null
  /** When the row counts as written; now, if nothing is said. */
  version?: string
}

/** The accounts behind the resource `admin_users`: a login and its admin role, changed together or not at all. */
export class Accounts {
  readonly #context: AuthContext

  constructor(context: AuthContext) {
    this.#context = context
  }

  /** Slow: never inside a transaction. Without an e-mail it may be anybody's: then everyone's is too easy. */
  async hashPassword(password: string, email: string): Promise<string> {
    const emails = email === '' ? await readEmails(this.#context.db) : [email]
    await checkPassword(password, [...emails, this.#context.config.site.brandName])
    return this.#context.passwords.hash(password)
  }

  /** Slow: never inside a transaction. Gives back the hash that was matched, to be compared when it counts. */
  async proveOwnPassword(caller: Caller, password: string): Promise<string | null> {
    if (caller.kind !== 'user') return null
    const user = await findUserById(this.#context.db, caller.userId)
    if (user === undefined) throw new AppError(404, 'user_not_found', 'User not found')
    await proveOwnPassword(this.#context, user, password)
    return user.password_hash
  }

  async findLoginId(email: string): Promise<string | null> {
    return (await findUserByEmail(this.#context.db, email))?.id ?? null
  }

  grantRole(trx: Db, account: GrantedRole, caller: Caller): Promise<boolean> {
    return grantRole(this.#context, trx, account, caller)
  }

  async create(trx: Db, account: NewAccount, caller: Caller): Promise<string> {
    const user = await insertUser(trx, { ...account, confirmed: true })
    if (user === null) throw emailExists()
    const made = await lockAccount(trx, { userId: user.id, by: auditActor(caller) })
    await setRole(made, account.role, user.created_at)
    await made.audit('user.created', { after: { email: user.email, role: account.role } })
    return user.id
  }

  /** Ends the person's sessions; a person who edits themselves keeps the one they do it in. */
  async update(trx: Db, id: string, change: AccountChange, caller: Caller): Promise<void> {
    const isSelf = caller.kind === 'user' && caller.userId === id
    const account = await lockAccount(trx, {
      userId: id,
      by: auditActor(caller),
      ...(isSelf ? { sessionId: caller.sessionId } : {}),
    })
    const before = account.user
    const formerRole = await requireRole(account)
    const { passwordHash } = change
    const email = change.email === undefined ? before.email : normalizeEmail(change.email)
    const role = change.role ?? formerRole
    const changesMore = email !== before.email || role !== formerRole
    if (changesMore) refuseChangeOfPrincipal(this.#context.config, before.email)
    if (isSelf) requireOwnPassword(account, change.provedHash, { changesMore })
    if (changesMore) await refuseTakenEmail(trx, id, email)
    const at = new Date().toISOString()
    await account.update({
      updated_at: at,
      ...(email === before.email ? {} : { email, new_email: null }),
      ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
    })
    await setRole(account, role, change.version ?? at)
    await account.revoke(revokedBy(passwordHash !== undefined, isSelf))
    await account.audit(passwordHash === undefined ? 'user.updated' : 'user.password_changed', {
      before: { email: before.email, role: formerRole },
      after: { email, role },
    })
    const by = isSelf ? 'self' : 'administrator'
    if (passwordHash !== undefined)
      afterCommit(trx, () => sendNotice(this.#context, { user: before, kind: 'password', by }))
    if (email !== before.email)
      afterCommit(trx, () => sendNotice(this.#context, { user: before, kind: 'email', by }))
  }

  /** Marks the row as written without a change. */
  async touch(trx: Db, id: string, version: string): Promise<void> {
    const account = await lockAccount(trx, { userId: id })
    await setRole(account, await requireRole(account), version)
  }

  async remove(trx: Db, id: string, caller: Caller): Promise<void> {
    const account = await lockAccount(trx, { userId: id, by: auditActor(caller) })
    const role = await requireRole(account)
    refuseRemovalOfPrincipal(this.#context.config, account.user.email)
    await account.audit('user.deleted', { before: { email: account.user.email, role } })
    await account.delete()
  }
}

function revokedBy(isNewPassword: boolean, isSelf: boolean) {
  if (!isNewPassword) return 'email_or_role'
  return isSelf ? 'own_password' : 'password_by_other'
}

async function requireRole(account: LockedAccount): Promise<string> {
  const role = await readRole(account)
  if (role === null) throw new AppError(404, 'user_not_found', 'User not found')
  return role
}

async function readEmails(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('auth_users as u')
    .innerJoin('admin_roles as r', 'r.user_id', 'u.id')
    .select('u.email')
    .orderBy('u.email')
    .limit(MAX_EMAILS)
    .execute()
  return rows.map(({ email }) => email)
}

/** Asked first, because on PostgreSQL a refused statement would take the whole transaction with it. */
export async function refuseTakenEmail(trx: Db, id: string, email: string): Promise<void> {
  const other = await trx
    .selectFrom('auth_users')
    .select('id')
    .where(sql<string>`lower(email)`, '=', email)
    .where('id', '!=', id)
    .executeTakeFirst()
  if (other !== undefined) throw emailExists()
}
