import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { ADMIN_ROLE_LABELS, PRINCIPAL_CANNOT_BE_DELETED } from '#contract/accounts.ts'
import { isEmail, normalizeEmail } from '#contract/email.ts'
import { mayBeKnownEmail } from '#contract/known-email.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/app-error.ts'
import type { AccountChange, AccountPort } from '../account-port.ts'
import { checkViolation, duplicateKey, notNull } from '../protocol-errors.ts'
import type { Column, DynamicDb, Resource, Row, Source, Store } from '../resource.ts'

const NAME = 'admin_users'
const EMAIL_KEY = 'admin_users_email_key'
const EMAIL_CHECK = { constraint: 'admin_users_email_check', expected: 'email must be a valid address' }
const PRINCIPAL_IS_FIXED = 'Este é o usuário administrador principal. Email e função não podem ser alterados.'

const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'uuid', write: 'create', initial: () => randomUUID() },
  {
    name: 'email',
    type: 'text',
    write: 'always',
    normalize: (value) => (typeof value === 'string' ? normalizeEmail(value) : value),
    // Every write judges the whole row, and a row may be older than the rule: new addresses are judged by the store.
    check: { ...EMAIL_CHECK, passes: (value) => typeof value === 'string' && mayBeKnownEmail(value) },
  },
  {
    name: 'role',
    type: 'text',
    write: 'always',
    initial: () => 'admin',
    words: ADMIN_ROLE_LABELS,
  },
  { name: 'is_principal', type: 'boolean', write: 'maintained', initial: () => false },
  { name: 'created_at', type: 'timestamp', write: 'maintained', initial: () => new Date().toISOString() },
  { name: 'updated_at', type: 'timestamp', write: 'maintained', initial: (row) => row.created_at },
  // Holds the plain text until `prepare` has replaced it by its hash, before any transaction begins.
  // A new login needs one, which the store sees to; a login that exists may keep its own.
  { name: 'password', type: 'text', write: 'always', read: false, nullable: true },
  // The own one, of people who edit themselves. `prepare` replaces it by the hash that it matched.
  { name: 'current_password', type: 'text', write: 'always', read: false, nullable: true },
]

/** A login joined with its admin role, so that what is edited here is what the next login uses. */
export function adminUsers(accounts: AccountPort, principalEmail: string): Resource {
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

/** The times are the role's: a login's own also move when its owner signs in, which is nobody's edit. */
function joinAccounts(db: DynamicDb, principalEmail: string): Source {
  const joined = db
    .selectFrom('auth_users as u')
    .innerJoin('admin_roles as r', 'r.user_id', 'u.id')
    .select(['u.id', 'u.email', 'r.role', 'r.created_at', 'r.updated_at'])
    .select(sql<boolean>`(u.email = ${principalEmail})`.as('is_principal'))
  return db.selectFrom(joined.as(NAME)) as unknown as Source
}

function accountStore(accounts: AccountPort): Store {
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

/** A row for a login that exists has that login's id, which its sender cannot know. */
async function nameLogin(accounts: AccountPort, input: Row, email: string): Promise<void> {
  const id = await accounts.findLoginId(email)
  if (id !== null) input.id = id
}

/** The principal's protection in this protocol's words. Not a question of who asks: nobody may, the service key included. */
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

/** A taken address in this protocol's words. */
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
