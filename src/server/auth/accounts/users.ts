import { createHash, randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { normalizeEmail } from '#contract/email.ts'
import type { Db } from '#server/db/database.ts'
import type { AuthFactors, AuthSessions, AuthUsers } from '#server/db/schema/auth.ts'
import { emailExists, toJson } from '../protocol.ts'
import { checkEmail } from './rules.ts'

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

/** In `app_metadata`, which a person cannot write, until the password changes. */
const GENERATED_PASSWORD = 'generated_password'

export function hasGeneratedPassword(appMetadata: Record<string, unknown>): boolean {
  return appMetadata[GENERATED_PASSWORD] === true
}

/** The same metadata for a password that the program made, or for one that a person chose. */
export function markPassword(
  { [GENERATED_PASSWORD]: _before, ...rest }: Record<string, unknown>,
  isGenerated: boolean,
): Record<string, unknown> {
  return isGenerated ? { ...rest, [GENERATED_PASSWORD]: true } : rest
}

interface NewUser {
  id?: string
  email: string
  passwordHash: string | null
  confirmed: boolean
  /** Signed up by themselves: the address is not verified. */
  isStranger?: true
  isInvited?: true
  userMetadata?: Record<string, unknown>
  appMetadata?: Record<string, unknown>
  tokenRole?: string
  bannedUntil?: string | null
}

/** Null if the address or the id is taken. */
export async function insertUser(trx: Db, user: NewUser, now = new Date()): Promise<UserRow | null> {
  const at = now.toISOString()
  const row = await trx
    .insertInto('auth_users')
    .values({
      id: user.id ?? randomUUID(),
      email: checkEmail(user.email),
      password_hash: user.passwordHash,
      user_metadata: toJson(user.userMetadata ?? {}),
      app_metadata: toJson({ provider: 'email', providers: ['email'], ...user.appMetadata }),
      email_confirmed_at: user.confirmed ? at : null,
      mailbox_proved_at: user.isStranger ? null : at,
      ...(user.isInvited ? { invited_at: at } : {}),
      token_role: user.tokenRole ?? 'authenticated',
      banned_until: user.bannedUntil ?? null,
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

/** The same, with the refusal. */
export async function createUser(trx: Db, user: NewUser, now = new Date()): Promise<UserRow> {
  const row = await insertUser(trx, user, now)
  if (row === null) throw emailExists()
  return row
}

/** Whether an account other than `own` has this address; null for an account that is to be made. */
export async function isEmailTaken(db: Db, own: string | null, email: string): Promise<boolean> {
  const user = await findUserByEmail(db, email)
  return user !== undefined && user.id !== own
}

/** Checked first, because on PostgreSQL a failed statement aborts the transaction. */
export async function refuseTakenEmail(db: Db, own: string | null, email: string): Promise<void> {
  if (await isEmailTaken(db, own, email)) throw emailExists()
}

export type UserRow = Selectable<AuthUsers>

export type FactorRow = Selectable<AuthFactors>

export type SessionRow = Selectable<AuthSessions>

export type UserWithFactors = UserRow & { factors: readonly FactorRow[] }

/** The protocol's user; keys without a value are left out. */
export type UserObject = Record<string, unknown> & { id: string; email: string }

const OPTIONAL_TIMES = [
  'email_confirmed_at',
  'invited_at',
  'confirmation_sent_at',
  'recovery_sent_at',
  'new_email',
  'email_change_sent_at',
  'reauthentication_sent_at',
  'last_sign_in_at',
  'banned_until',
  'deleted_at',
] as const

export function toUserObject(user: UserWithFactors): UserObject {
  const present = OPTIONAL_TIMES.filter((name) => user[name] !== null).map((name) => [name, user[name]])
  return {
    id: user.id,
    aud: 'authenticated',
    role: user.token_role,
    email: user.email,
    phone: '',
    ...Object.fromEntries(present),
    ...(user.email_confirmed_at === null ? {} : { confirmed_at: user.email_confirmed_at }),
    app_metadata: user.app_metadata,
    user_metadata: toUserMetadata(user),
    identities: [toIdentity(user)],
    ...(user.factors.length === 0 ? {} : { factors: user.factors.map(toFactorObject) }),
    created_at: user.created_at,
    updated_at: user.updated_at,
    is_anonymous: false,
  }
}

/** A confirmed address may sign in, and open sign-up confirms at once. A proved mailbox has used an emailed token. */
function isMailboxProved({ email_confirmed_at, mailbox_proved_at }: UserRow): boolean {
  return email_confirmed_at !== null && mailbox_proved_at !== null
}

/** People write their own metadata, but not whether their mailbox is verified. */
function toUserMetadata(user: UserRow): Record<string, unknown> {
  const { email_verified: _claimed, ...own } = user.user_metadata
  return user.email_confirmed_at === null ? own : { ...own, email_verified: isMailboxProved(user) }
}

/** An email account is its own and only identity. */
function toIdentity(user: UserRow): Record<string, unknown> {
  return {
    identity_id: identityId(user.id),
    id: user.id,
    user_id: user.id,
    identity_data: {
      sub: user.id,
      email: user.email,
      email_verified: isMailboxProved(user),
      phone_verified: false,
    },
    provider: 'email',
    email: user.email,
    last_sign_in_at: user.last_sign_in_at ?? user.created_at,
    created_at: user.created_at,
    updated_at: user.updated_at,
  }
}

/** Derived from the account's id, in the custom format of RFC 9562 (version 8). */
function identityId(userId: string): string {
  const hex = createHash('sha256').update(`identity:${userId}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export function toFactorObject(factor: FactorRow): Record<string, unknown> {
  return {
    id: factor.id,
    status: factor.status,
    factor_type: factor.kind,
    ...(factor.friendly_name === '' ? {} : { friendly_name: factor.friendly_name }),
    phone: '',
    last_challenged_at: factor.last_challenged_at,
    created_at: factor.created_at,
    updated_at: factor.updated_at,
  }
}

/** All administrators who may sign in: only they get emails about the site. */
export function selectAdministrators(db: Db, now: number) {
  return db
    .selectFrom('auth_users')
    .innerJoin('admin_roles', 'admin_roles.user_id', 'auth_users.id')
    .where('auth_users.deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('auth_users.banned_until', 'is', null),
        eb('auth_users.banned_until', '<=', new Date(now).toISOString()),
      ]),
    )
}
