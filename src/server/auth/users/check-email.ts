import { isEmail, normalizeEmail } from '#contract/email-pattern.ts'
import { validationFailed } from '../auth-error.ts'

/** The HTML standard's pattern for `<input type=email>`, with a dot in the host: what the login screen can type. */
const PATTERN =
  /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/

/** Gives back the form in which an address is stored. */
export function checkEmail(email: string): string {
  if (email === '') throw validationFailed('An email address is required')
  const normal = normalizeEmail(email)
  if (!isEmail(normal) || !PATTERN.test(normal))
    throw validationFailed('Unable to validate email address: invalid format')
  return normal
}
