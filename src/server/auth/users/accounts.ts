import { sql } from 'kysely'
import { normalizeEmail } from '#contract/email-pattern.ts'
import { recordAudit } from '#server/db/audit.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/app-error.ts'
import { auditActor, type Caller } from '#server/http/caller.ts'
import type { AuthContext } from '../auth-context.ts'
import { sendNotice } from '../mail/send-notice.ts'
import { deleteTokens } from '../one-time-tokens/delete-tokens.ts'
import { checkPassword } from '../passwords/check-password.ts'
import { proveOwnPassword } from '../passwords/prove-own-password.ts'
import {
  isPrincipal,
  refuseChangeOfPrincipal,
  refuseRemovalOfPrincipal,
} from '../principal/refuse-on-principal.ts'
import { emailExists } from '../protocol/auth-error.ts'
import { endOtherSessions } from '../sessions/end-sessions.ts'
import { deletePasskeys } from '../webauthn/delete-passkeys.ts'
import { findUserByEmail, findUserById } from './find-user.ts'
import { type GrantedRole, grantRole } from './grant-role.ts'
import { insertUser } from './insert-user.ts'

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
}

/** The accounts behind the resource `admin_users`: a login and its admin role, changed together or not at all. */
export class Accounts {
  readonly #context: AuthContext

  constructor(context: AuthContext) {
    this.#context = context
  }

  isPrincipal(email: string): boolean {
    return isPrincipal(this.#context.config, email)
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
    const at = user.created_at
    await trx
      .insertInto('admin_roles')
      .values({ user_id: user.id, role: account.role, created_at: at, updated_at: at })
      .execute()
    const after = { email: user.email, role: account.role }
    await recordAudit(trx, { ...auditActor(caller), action: 'user.created', subject: user.id, after })
    return user.id
  }

  /** Ends the person's sessions; a person who edits themselves keeps the one they do it in. */
  async update(trx: Db, id: string, change: AccountChange, caller: Caller): Promise<void> {
    const before = await readAccount(trx, id)
    const isSelf = caller.kind === 'user' && caller.userId === id
    if (isSelf && (change.provedHash == null || change.provedHash !== before.password_hash))
      throw new AppError(400, 'current_password_required', 'Current password required to edit oneself.')
    const email = change.email === undefined ? before.email : normalizeEmail(change.email)
    const role = change.role ?? before.role
    if (email !== before.email || role !== before.role) {
      refuseChangeOfPrincipal(this.#context.config, before.email)
      await refuseTakenEmail(trx, id, email)
    }
    const at = new Date().toISOString()
    await trx
      .updateTable('auth_users')
      .set({
        email,
        ...(email === before.email ? {} : { new_email: null }),
        updated_at: at,
        ...(change.passwordHash === undefined ? {} : { password_hash: change.passwordHash }),
      })
      .where('id', '=', id)
      .execute()
    await trx.updateTable('admin_roles').set({ role, updated_at: at }).where('user_id', '=', id).execute()
    if (change.passwordHash !== undefined && !isSelf) await deletePasskeys(trx, id)
    await endOtherSessions(trx, id, isSelf ? caller.sessionId : null)
    await deleteTokens(trx, id)
    await recordAudit(trx, {
      ...auditActor(caller),
      action: change.passwordHash === undefined ? 'user.updated' : 'user.password_changed',
      subject: id,
      before: { email: before.email, role: before.role },
      after: { email, role },
    })
    const by = isSelf ? 'self' : 'administrator'
    const { passwordHash } = change
    if (passwordHash !== undefined)
      sendNotice(
        this.#context,
        { user: before, kind: 'password', by },
        (current) => current.password_hash === passwordHash,
      )
    if (email !== before.email)
      sendNotice(this.#context, { user: before, kind: 'email', by }, (current) => current.email === email)
  }

  async remove(trx: Db, id: string, caller: Caller): Promise<void> {
    const before = await readAccount(trx, id)
    refuseRemovalOfPrincipal(this.#context.config, before.email)
    await trx.deleteFrom('auth_users').where('id', '=', id).execute()
    await recordAudit(trx, {
      ...auditActor(caller),
      action: 'user.deleted',
      subject: id,
      before: { email: before.email, role: before.role },
    })
  }
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

async function readAccount(trx: Db, id: string) {
  const row = await trx
    .selectFrom('auth_users as u')
    .innerJoin('admin_roles as r', 'r.user_id', 'u.id')
    .select(['u.id', 'u.email', 'u.password_hash', 'u.mailbox_proved_at', 'r.role'])
    .where('u.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) throw new AppError(404, 'user_not_found', 'User not found')
  return row
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
