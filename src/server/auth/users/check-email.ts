import { isEmail, normalizeEmail } from '#contract/email.ts'
import { validationFailed } from '../auth-error.ts'

export function checkEmail(email: string): string {
  if (email === '') throw validationFailed('An email address is required')
  if (!isEmail(email)) throw validationFailed('Unable to validate email address: invalid format')
  return normalizeEmail(email)
}
