import { isEmail, normalizeEmail } from '#contract/email.ts'
import { mayBeKnownEmail } from '#contract/known-email.ts'
import { validationFailed } from '../protocol/auth-error.ts'

/** For an address that will be stored; gives back the form in which it is. The one that somebody has may stay. */
export function checkEmail(email: string, current?: string): string {
  const normal = normalizeEmail(email)
  if (normal === current) return normal
  return check(email, isEmail)
}

/** For an address by which somebody is looked for: it may be older than the rule. */
export function checkKnownEmail(email: string): string {
  return check(email, mayBeKnownEmail)
}

function check(email: string, passes: (email: string) => boolean): string {
  if (email === '') throw validationFailed('An email address is required')
  if (!passes(email)) throw validationFailed('Unable to validate email address: invalid format')
  return normalizeEmail(email)
}
