import { createHash } from 'node:crypto'

/** As Meta wants it: trimmed and in lower case; dots and what follows a plus belong to it. Null for what has accents. */
export function hashEmail(email: string): string | null {
  const normal = email.trim().toLowerCase()
  if (!/^[\x21-\x3f\x41-\x7e]+@[\x21-\x7e]+$/.test(normal)) return null
  return createHash('sha256').update(normal).digest('hex')
}
