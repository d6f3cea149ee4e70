import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** The one spelling of a JSON value (RFC 8785): what is hashed, and what a line of an export must be. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('There is no JSON for this value')
  return text
}

/** SHA-256 of the canonical form, in lower-case hexadecimal. */
export function canonicalHash(value: unknown): string {
  return hashText(canonicalJson(value))
}

/** Of what is in its canonical form already. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
