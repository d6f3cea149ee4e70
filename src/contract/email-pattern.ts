/** The longest address that SMTP can carry (RFC 5321, 4.5.3.1.3, less the angle brackets). */
const EMAIL_MAX_LENGTH = 254

/** Text, at sign, text, dot, text: the simple pattern of the description. Control characters are not text. */
const EMAIL_PATTERN = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u

/** The one form in which an address is stored and compared. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** Apart from the schema, so that the page's form need not carry a validation library. */
export function isEmail(value: string): boolean {
  // Some letters grow when they are made small, and what counts is what is stored.
  const email = normalizeEmail(value)
  return email.length <= EMAIL_MAX_LENGTH && EMAIL_PATTERN.test(email)
}
