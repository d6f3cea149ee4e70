// Apart from `email.ts`: the page loads that file; these two rules are for the server and the dashboard alone.

/**
 * Text, at sign, text, dot, text: what was once enough to be stored. It decides only whether somebody is looked for:
 * people whose address the rule of `isEmail` would refuse today still sign in, recover their password and are erased.
 */
export function mayBeKnownEmail(value: string): boolean {
  const email = value.trim()
  return email.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}][^\s@.\p{Cc}]*\.[^\s@\p{Cc}]+$/u.test(email)
}

/** The same, of letters that are all seen: without marks that turn the direction of a line or take no room in it. */
export function isShownEmail(value: string): boolean {
  return mayBeKnownEmail(value) && !/\p{C}/u.test(value.trim())
}
