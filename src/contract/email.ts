/**
 * What every mail server takes as it is: at most 254 characters (RFC 5321, 4.5.3.1.3, less the angle brackets), a local
 * part of at most 64 out of its dot-atom, and a domain of host labels whose last one is not a number. All of it ASCII: a
 * Cyrillic `а` is no Latin one, and a domain with other letters is written in its xn-- form.
 */
const EMAIL_PATTERN =
  /^(?!\.|.*\.[.@]|.{255})[\w.!#-'*+/=?^`{-~-]{1,64}@(?!-|.*(-\.|\.-|-$))([a-z\d-]{1,63}\.)+[a-z][a-z\d-]{0,62}$/i

/** The one form in which an address is stored and compared. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** The one rule for an address that is stored. Apart from the schema, so that the page carries no validation library. */
export function isEmail(value: string): boolean {
  return EMAIL_PATTERN.test(value.trim())
}
