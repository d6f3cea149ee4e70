/**
 * What every mail server accepts: at most 254 characters (RFC 5321, 4.5.3.1.3, minus the angle brackets), a dot-atom
 * local part of at most 64, and a domain of host labels whose last one is no number. ASCII only: a Cyrillic `а` differs
 * from a Latin one, and other letters in a domain use their xn-- form.
 */
const EMAIL_PATTERN =
  /^(?!\.|.*\.[.@]|.{255})[\w.!#-'*+/=?^`{-~-]{1,64}@(?!-|.*(-\.|\.-|-$))([a-z\d-]{1,63}\.)+[a-z][a-z\d-]{0,62}$/i

/** The form in which an address is stored and compared. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** The one rule for a stored address. Separate from the schema, so that the page needs no validation library. */
export function isEmail(value: string): boolean {
  return EMAIL_PATTERN.test(value.trim())
}
