import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { ADMIN_ROLE_LABELS, PRINCIPAL_CANNOT_BE_DELETED } from '#contract/accounts.ts'
import { isEmail, normalizeEmail } from '#contract/email.ts'
import { mayBeKnownEmail } from '#contract/known-email.ts'
import { checkViolation, duplicateKey, notNull } from '#server/data/errors.ts'
import type { Column, DynamicDb, Resource, Row, Source, Store } from '#server/data/resource.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/errors.ts'
import { auditActor, type Caller } from '#server/http/security/administrators.ts'
import { sendNotice } from '../account-mail.ts'
import type { AuthContext } from '../context.ts'
import { checkPassword, proveOwnPassword, requireOwnPassword } from '../passwords/passwords.ts'
import { emailExists } from '../protocol.ts'
import { handOverAccount, LockedAccount, lockAccount } from './change-account.ts'
import { accessRefusal, refuseChangeOfPrincipal, refuseRemovalOfPrincipal } from './rules.ts'
import { createUser, findUserByEmail, findUserById, refuseTakenEmail } from './users.ts'

interface NewAccount {
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
  /** Result of `proveOwnPassword`, required of people who edit themselves. */
  provedHash?: string | null
  /** Time of the write; defaults to now. */
  version?: string
}

/** The accounts behind `admin_users`: an account and its role, changed together. */
export class Accounts {
  readonly #context: AuthContext

  constructor(context: AuthContext) {
    this.#context = context
  }

  /**
   * Slow: never call it inside a transaction. Without an email the owner is unknown, and every administrator's address
   * counts as weak.
   */
  async hashPassword(password: string, email: string): Promise<string> {
    const emails = email === '' ? await readEmails(this.#context.db) : [email]
    await checkPassword(password, [...emails, this.#context.config.site.brandName])
    return this.#context.passwords.hash(password)
  }

  /** Slow: never call it inside a transaction. Returns the matched hash, to compare it again when writing. */
  async proveOwnPassword(caller: Caller, password: string): Promise<string | null> {
    if (caller.kind !== 'user') return null
    const user = await findUserById(this.#context.db, caller.userId)
    if (user === undefined) throw new AppError(404, 'user_not_found', 'User not found')
    await proveOwnPassword(this.#context, user, password)
    return user.password_hash
  }

  /** The account of this address, or null. */
  async findLoginId(email: string): Promise<string | null> {
    return (await findUserByEmail(this.#context.db, email))?.id ?? null
  }

  /** Gives a role to the login of this id and address; false when there is none. */
  grantRole(trx: Db, account: GrantedRole, caller: Caller): Promise<boolean> {
    return grantRole(this.#context, trx, account, caller)
  }

  async create(trx: Db, account: NewAccount, caller: Caller): Promise<string> {
    const user = await createUser(trx, { ...account, confirmed: true })
    const made = await lockAccount(trx, { userId: user.id, by: auditActor(caller) })
    await setRole(made, account.role, user.created_at)
    await made.audit('user.created', { after: { email: user.email, role: account.role } })
    return user.id
  }

  /** Ends the person's sessions; a person who edits themselves keeps the current one. */
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
    await account.revoke(revokedBy({ isNewPassword: passwordHash !== undefined, isSelf, changesMore }))
    await account.audit(passwordHash === undefined ? 'user.updated' : 'user.password_changed', {
      before: { email: before.email, role: formerRole },
      after: { email, role },
    })
    const by = isSelf ? 'self' : 'administrator'
    if (passwordHash !== undefined)
      await sendNotice(this.#context, trx, { user: before, kind: 'password', by })
    if (email !== before.email) await sendNotice(this.#context, trx, { user: before, kind: 'email', by })
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

function revokedBy(of: { isNewPassword: boolean; isSelf: boolean; changesMore: boolean }) {
  if (of.isNewPassword && !of.isSelf) return 'password_by_other'
  return of.isNewPassword && !of.changesMore ? 'own_password' : 'email_or_role'
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

interface GrantedRole {
  id: string
  email: string
  role: string
  /** A hash; null keeps the account's password where that is allowed. */
  passwordHash: string | null
}

/**
 * Gives a role to an existing account; false if there is none. A stranger who signed up with the address of a future
 * administrator must not become one: only an account with a proved mailbox keeps its password and sessions.
 */
async function grantRole(
  context: AuthContext,
  trx: Db,
  { id, email, role, passwordHash }: GrantedRole,
  caller: Caller,
): Promise<boolean> {
  const found = await findUserByEmail(trx, email)
  const account =
    found === undefined
      ? undefined
      : await LockedAccount.lock(trx, { userId: found.id, by: auditActor(caller) })
  if (account === undefined) return false
  const { user } = account
  const isTaken = user.id !== id || user.email !== found?.email || accessRefusal(user) !== null
  if (isTaken || (await readRole(account)) !== null) throw emailExists()
  const isProved = user.mailbox_proved_at !== null && user.email_confirmed_at !== null
  if (!isProved) await handOverAccount(account, passwordHash)
  else if (passwordHash !== null) {
    await account.update({ password_hash: passwordHash, updated_at: new Date().toISOString() })
    await account.revoke('password_by_other')
  }
  await setRole(account, role)
  await account.audit('user.role_granted', {
    before: { email: user.email, role: null },
    after: { email: user.email, role, handed_over: !isProved },
  })
  if (!isProved || passwordHash !== null)
    await sendNotice(context, trx, { user, kind: 'password', by: 'administrator' })
  return true
}

async function readRole({ trx, user }: LockedAccount): Promise<string | null> {
  const row = await trx
    .selectFrom('admin_roles')
    .select('role')
    .where('user_id', '=', user.id)
    .executeTakeFirst()
  return row?.role ?? null
}

/** Also the version of the row in `admin_users`: `at` is the time of the write. */
export async function setRole(
  { trx, user }: LockedAccount,
  role: string,
  at = new Date().toISOString(),
): Promise<void> {
  await trx
    .insertInto('admin_roles')
    .values({ user_id: user.id, role, created_at: at, updated_at: at })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ role, updated_at: at }))
    .execute()
}

export async function deleteRole({ trx, user }: LockedAccount): Promise<void> {
  await trx.deleteFrom('admin_roles').where('user_id', '=', user.id).execute()
}

const NAME = 'admin_users'

const EMAIL_KEY = 'admin_users_email_key'

const EMAIL_CHECK = { constraint: 'admin_users_email_check', expected: 'email must be a valid address' }

const PRINCIPAL_IS_FIXED = 'Este é o usuário administrador principal. Email e função não podem ser alterados.'

const COLUMNS: readonly Column[] = [
  {
    name: 'id',
    type: 'uuid',
    write: 'create',
    initial: () => randomUUID(),
    about: 'Generated unless you send one.',
  },
  {
    name: 'email',
    type: 'text',
    write: 'always',
    about: 'Address that the person signs in with.',
    normalize: (value) => (typeof value === 'string' ? normalizeEmail(value) : value),
    // Every write checks the whole row, and a row may be older than the rule: new addresses are checked by the store.
    check: { ...EMAIL_CHECK, passes: (value) => typeof value === 'string' && mayBeKnownEmail(value) },
  },
  {
    name: 'role',
    type: 'text',
    write: 'always',
    about: 'Default: admin.',
    initial: () => 'admin',
    words: ADMIN_ROLE_LABELS,
  },
  {
    name: 'is_principal',
    type: 'boolean',
    write: 'maintained',
    initial: () => false,
    about: 'Whether the configuration names this account. It cannot be deleted.',
  },
  {
    name: 'created_at',
    type: 'timestamp',
    write: 'maintained',
    initial: () => new Date().toISOString(),
    about: 'When the account was created.',
  },
  {
    name: 'updated_at',
    type: 'timestamp',
    write: 'maintained',
    initial: (row) => row.created_at,
    about: 'Time of the last change.',
  },
  // Plain text until `prepare` replaces it with its hash, before any transaction. The store requires it for a new
  // account; an existing one may keep its own.
  {
    name: 'password',
    type: 'text',
    write: 'always',
    read: false,
    nullable: true,
    about: 'New password. Needed for a new account.',
  },
  // The current password of people who edit themselves. `prepare` replaces it with the matched hash.
  {
    name: 'current_password',
    type: 'text',
    write: 'always',
    read: false,
    nullable: true,
    about: 'Needed by people who edit their own row.',
  },
]

/** An account joined with its role, so that what is edited here is what the next sign-in uses. */
export function adminUsers(accounts: Accounts, principalEmail: string): Resource {
  return {
    name: NAME,
    columns: COLUMNS,
    uniqueKeys: [
      { constraint: 'admin_users_pkey', columns: ['id'] },
      { constraint: EMAIL_KEY, columns: ['email'] },
    ],
    versionColumn: 'updated_at',
    defaultOrder: ['created_at'],
    source: (db) => joinAccounts(db, principalEmail),
    store: accountStore(accounts),
  }
}

/** The times are those of the role: an account's own also change at sign-in. */
function joinAccounts(db: DynamicDb, principalEmail: string): Source {
  const joined = db
    .selectFrom('auth_users as u')
    .innerJoin('admin_roles as r', 'r.user_id', 'u.id')
    .select(['u.id', 'u.email', 'r.role', 'r.created_at', 'r.updated_at'])
    .select(sql<boolean>`(u.email = ${principalEmail})`.as('is_principal'))
  return db.selectFrom(joined.as(NAME)) as unknown as Source
}

function accountStore(accounts: Accounts): Store {
  return {
    keepsOwnAudit: true,
    async prepare(inputs, caller) {
      for (const input of inputs) {
        if (typeof input.current_password === 'string')
          input.current_password = await accounts.proveOwnPassword(caller, input.current_password)
        const email = typeof input.email === 'string' ? normalizeEmail(input.email) : ''
        if (input.id === undefined && email !== '') await nameLogin(accounts, input, email)
        if (typeof input.password !== 'string') continue
        input.password = await accounts.hashPassword(input.password, email)
      }
    },
    async insert(trx, row, caller) {
      const { id, email, password, role } = row as Record<string, string>
      const login = { id: String(id), email: String(email), role: String(role) }
      const passwordHash = typeof password === 'string' ? password : null
      refuseBadEmail(login.email)
      await withEmailKey(login.email, async () => {
        if (await accounts.grantRole(trx, { ...login, passwordHash }, caller)) return
        if (passwordHash === null) throw notNull(NAME, 'password')
        await refuseTakenId(trx, login.id)
        await accounts.create(trx, { ...login, passwordHash }, caller)
      })
      return { ...row, ...(await readTimes(trx, login.id)) }
    },
    async update(trx, before, after, caller) {
      if (after.password === null) throw notNull(NAME, 'password')
      const change = changeOf(before, after)
      if (change.email !== undefined) refuseBadEmail(change.email)
      const id = String(before.id)
      const version = String(after.updated_at)
      if (Object.keys(change).length === 0) return accounts.touch(trx, id, version)
      const provedHash = typeof after.current_password === 'string' ? after.current_password : null
      await inOwnWords(PRINCIPAL_IS_FIXED, () =>
        withEmailKey(String(after.email), () =>
          accounts.update(trx, id, { ...change, version, provedHash }, caller),
        ),
      )
    },
    async remove(trx, before, caller) {
      await inOwnWords(PRINCIPAL_CANNOT_BE_DELETED, () => accounts.remove(trx, String(before.id), caller))
    },
  }
}

/** A row for an existing account has that account's id, which the sender cannot know. */
async function nameLogin(accounts: Accounts, input: Row, email: string): Promise<void> {
  const id = await accounts.findLoginId(email)
  if (id !== null) input.id = id
}

/** The principal's protection as an error of this protocol. It applies to everybody, including service keys. */
async function inOwnWords(message: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'principal_admin_protected')) throw error
    throw new AppError(403, error.code, message, { cause: error })
  }
}

function changeOf(before: Row, after: Row): AccountChange {
  return {
    ...(after.email === before.email ? {} : { email: String(after.email) }),
    ...(after.role === before.role ? {} : { role: String(after.role) }),
    ...(typeof after.password === 'string' ? { passwordHash: after.password } : {}),
  }
}

function refuseBadEmail(email: string): void {
  if (!isEmail(email)) throw checkViolation(NAME, EMAIL_CHECK.constraint, EMAIL_CHECK.expected)
}

/** A taken address as an error of this protocol. */
async function withEmailKey(email: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'email_exists')) throw error
    throw duplicateKey(EMAIL_KEY, `Key (email)=(${email}) already exists.`, error)
  }
}

async function refuseTakenId(trx: Db, id: string): Promise<void> {
  const taken = await trx.selectFrom('auth_users').select('id').where('id', '=', id).executeTakeFirst()
  if (taken !== undefined) throw duplicateKey('admin_users_pkey', `Key (id)=(${id}) already exists.`)
}

function readTimes(trx: Db, id: string): Promise<Row> {
  return trx
    .selectFrom('admin_roles')
    .select(['created_at', 'updated_at'])
    .where('user_id', '=', id)
    .executeTakeFirstOrThrow()
}
