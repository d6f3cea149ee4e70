// Separate from `email.ts`, which the page loads; these two rules are for server and dashboard only.

/**
 * Text, at sign, text, dot, text: the former rule. It only decides whether to look somebody up: people with an address
 * that `isEmail` refuses today can still sign in, recover their password and be erased.
 */
export function mayBeKnownEmail(value: string): boolean {
  const email = value.trim()
  return email.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}][^\s@.\p{Cc}]*\.[^\s@\p{Cc}]+$/u.test(email)
}

/** The same with visible letters only: no direction marks or zero-width characters. */
export function isShownEmail(value: string): boolean {
  return mayBeKnownEmail(value) && !/\p{C}/u.test(value.trim())
}
