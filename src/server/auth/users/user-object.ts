import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { AuthFactors, AuthSessions, AuthUsers } from '#server/db/auth-schema.ts'

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

/** Confirmed is enough to sign in, and open sign-up confirms at once; proved is who used what was mailed there. */
function isMailboxProved({ email_confirmed_at, mailbox_proved_at }: UserRow): boolean {
  return email_confirmed_at !== null && mailbox_proved_at !== null
}

/** People write their own metadata: whether a mailbox is verified is not theirs to say. */
function toUserMetadata(user: UserRow): Record<string, unknown> {
  const { email_verified: _claimed, ...own } = user.user_metadata
  return user.email_confirmed_at === null ? own : { ...own, email_verified: isMailboxProved(user) }
}

/** An e-mail login is its own and only identity. */
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

/** Always the same for the same login, in the free-form variant of RFC 9562 (version 8). */
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
