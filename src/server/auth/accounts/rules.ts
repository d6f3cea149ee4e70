import { PRINCIPAL_CANNOT_BE_DELETED } from '#contract/accounts.ts'
import { isEmail, normalizeEmail } from '#contract/email.ts'
import { mayBeKnownEmail } from '#contract/known-email.ts'
import type { Config } from '#server/config.ts'
import { AppError } from '#server/http/errors.ts'
import { authError, validationFailed } from '../protocol.ts'
import type { UserRow } from './users.ts'

/** Checks an address that will be stored; returns its normal form. A current address may stay. */
export function checkEmail(email: string, current?: string): string {
  const normal = normalizeEmail(email)
  if (normal === current) return normal
  return check(email, isEmail)
}

/** Checks an address for a lookup: it may be older than the rule. */
export function checkKnownEmail(email: string): string {
  return check(email, mayBeKnownEmail)
}

function check(email: string, passes: (email: string) => boolean): string {
  if (email === '') throw validationFailed('An email address is required')
  if (!passes(email)) throw validationFailed('Unable to validate email address: invalid format')
  return normalizeEmail(email)
}

type Access = Pick<UserRow, 'banned_until' | 'deleted_at'>

type AccessRefusal = 'user_not_found' | 'user_banned'

type SignInRefusal = AccessRefusal | 'email_not_confirmed'

const MESSAGES = {
  user_banned: 'User is banned',
  email_not_confirmed: 'Email not confirmed',
} as const

/** Why an account may not be used; null if it may. Each protocol words its own refusal. */
export function accessRefusal(user: Access, now = Date.now()): AccessRefusal | null {
  if (user.deleted_at !== null) return 'user_not_found'
  return user.banned_until !== null && Date.parse(user.banned_until) > now ? 'user_banned' : null
}

/** The same for a new session, which also needs a confirmed address. */
export function signInRefusal(
  user: Access & Pick<UserRow, 'email_confirmed_at'>,
  now = Date.now(),
): SignInRefusal | null {
  return accessRefusal(user, now) ?? (user.email_confirmed_at === null ? 'email_not_confirmed' : null)
}

/** The protocol's error for a person who may not sign in. A deleted account is treated as unknown. */
export function refuse(reason: SignInRefusal | null, status: 400 | 403, unknown: () => Error): void {
  if (reason === null) return
  throw reason === 'user_not_found' ? unknown() : authError(status, reason, MESSAGES[reason])
}

/** The configured account: it can always sign in. */
export function isPrincipal(config: Config, email: string): boolean {
  return normalizeEmail(email) === config.principal.email
}

export function refuseRemovalOfPrincipal(config: Config, email: string): void {
  if (isPrincipal(config, email))
    throw new AppError(422, 'principal_admin_protected', PRINCIPAL_CANNOT_BE_DELETED)
}

export function refuseChangeOfPrincipal(config: Config, email: string): void {
  if (isPrincipal(config, email))
    throw new AppError(
      422,
      'principal_admin_protected',
      'Este é o usuário administrador principal. Email e função não podem ser alterados.',
    )
}
