import * as z from 'zod/mini'

/** The longest address that SMTP can carry (RFC 5321, 4.5.3.1.3, less the angle brackets). */
export const EMAIL_MAX_LENGTH = 254

/** Text, at sign, text, dot, text: the simple pattern of the description. */
const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** The one form in which an address is stored and compared. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

export function isEmail(value: string): boolean {
  const email = value.trim()
  return email.length <= EMAIL_MAX_LENGTH && EMAIL_PATTERN.test(email)
}

export const emailSchema = z.pipe(
  z.string().check(z.refine(isEmail, 'invalid email')),
  z.transform(normalizeEmail),
)
