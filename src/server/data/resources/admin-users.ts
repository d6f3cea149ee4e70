import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { ADMIN_ROLES, type AdminRole, PRINCIPAL_CANNOT_BE_DELETED } from '#contract/admin-user.ts'
import { isEmail, normalizeEmail } from '#contract/email.ts'
import type { Db } from '../../db/database.ts'
import { AppError } from '../../http/app-error.ts'
import type { Caller } from '../../http/caller.ts'
import type { AccountChange, AccountPort } from '../account-port.ts'
import type { Column, DynamicDb, Resource, Row, Source, Store } from '../resource.ts'

const NAME = 'admin_users'
const PRINCIPAL_IS_FIXED = 'Este é o usuário administrador principal. Email e função não podem ser alterados.'

const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'uuid', writable: 'create', initial: () => randomUUID() },
  {
    name: 'email',
    type: 'text',
    writable: 'always',
    normalize: (value) => (typeof value === 'string' ? normalizeEmail(value) : value),
    check: {
      constraint: 'admin_users_email_check',
      expected: 'email must be a valid address',
      passes: (value) => typeof value === 'string' && isEmail(value),
    },
  },
  {
    name: 'role',
    type: 'text',
    writable: 'always',
    initial: () => 'admin',
    check: {
      constraint: 'admin_users_role_check',
      expected: `role must be one of ${ADMIN_ROLES.join(', ')}`,
      passes: (value) => (ADMIN_ROLES as readonly unknown[]).includes(value),
    },
  },
  { name: 'is_principal', type: 'boolean', writable: 'never', initial: () => false },
  { name: 'created_at', type: 'timestamp', writable: 'maintained', initial: () => new Date().toISOString() },
  { name: 'updated_at', type: 'timestamp', writable: 'maintained', initial: (row) => row.created_at },
  // Holds the plain text until `prepare` has replaced it by its hash, before any transaction begins.
  { name: 'password', type: 'text', writable: 'always', readable: false },
]

/** A login joined with its admin role, so that what is edited here is what the next login uses. */
export function adminUsers(accounts: AccountPort): Resource {
  return {
    name: NAME,
    columns: COLUMNS,
    uniqueKeys: [
      { constraint: 'admin_users_pkey', columns: ['id'] },
      { constraint: 'admin_users_email_key', columns: ['email'] },
    ],
    versionColumn: 'updated_at',
    defaultOrder: ['created_at'],
    source: (db) => joinAccounts(db, accounts.principalEmail),
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
    async prepare(inputs) {
      for (const input of inputs) {
        if (typeof input.password !== 'string') continue
        const email = typeof input.email === 'string' ? normalizeEmail(input.email) : null
        input.password = await accounts.preparePassword(input.password, email)
      }
    },
    async insert(trx, row) {
      await accounts.create(trx, {
        id: String(row.id),
        email: String(row.email),
        passwordHash: String(row.password),
        role: row.role as AdminRole,
        createdAt: String(row.created_at),
      })
    },
    async update(trx, before, after, caller) {
      const change = changeOf(before, after)
      const isTouched = change.email !== undefined || change.role !== undefined
      if (before.is_principal === true && isTouched) {
        throw new AppError(403, 'principal_protected', PRINCIPAL_IS_FIXED)
      }
      if (Object.keys(change).length > 0) await accounts.update(trx, String(before.id), change, caller)
      await touchRole(trx, before, after)
    },
    async remove(trx: Db, before: Row, caller: Caller) {
      if (before.is_principal === true) {
        throw new AppError(403, 'principal_protected', PRINCIPAL_CANNOT_BE_DELETED)
      }
      await accounts.remove(trx, String(before.id), caller)
    },
  }
}

function changeOf(before: Row, after: Row): AccountChange {
  return {
    ...(after.email === before.email ? {} : { email: String(after.email) }),
    ...(after.role === before.role ? {} : { role: after.role as AdminRole }),
    ...(typeof after.password === 'string' ? { passwordHash: after.password } : {}),
  }
}

async function touchRole(trx: Db, before: Row, after: Row): Promise<void> {
  await trx
    .updateTable('admin_roles')
    .set({ updated_at: String(after.updated_at) })
    .where('user_id', '=', String(before.id))
    .execute()
}
