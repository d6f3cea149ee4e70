import * as z from 'zod/mini'
import { ADMIN_ROLES } from '#contract/accounts.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#contract/durations.ts'
import { AppError } from '#server/http/errors.ts'
import type { AuthContext } from '../context.ts'
import { checkPassword, isAcceptableHash } from '../passwords/passwords.ts'
import { document, flag, text, validationFailed } from '../protocol.ts'

/** The fields of a user that a service key may set. */
export const userInput = z.object({
  id: text,
  email: text,
  phone: text,
  password: text,
  password_hash: text,
  email_confirm: flag,
  user_metadata: document,
  app_metadata: document,
  role: text,
  ban_duration: text,
})

const ROLE = /^[a-z_][a-z0-9_]{0,62}$/
const UNIT_MS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: MINUTE_MS,
  h: HOUR_MS,
}
const MAX_BAN_MS = 1000 * 365 * DAY_MS

/** A password to hash, or an existing hash; null without either. */
export async function readPasswordHash(
  { config, passwords }: AuthContext,
  input: { password: string; password_hash: string },
  email: string,
): Promise<string | null> {
  if (input.password !== '' && input.password_hash !== '')
    throw validationFailed('Only a password or a password hash should be provided')
  if (input.password_hash !== '') return checkForeignHash(input.password_hash)
  if (input.password === '') return null
  await checkPassword(input.password, [email, config.site.brandName])
  return passwords.hash(input.password)
}

function checkForeignHash(hash: string): string {
  if (!isAcceptableHash(hash)) {
    throw validationFailed(
      'Invalid password hash: only argon2 hashes of ordinary cost, and bcrypt hashes of a cost of at most 12, are accepted',
    )
  }
  return hash
}

/** Roles that a token cannot grant: rights are rows of `admin_users`, and keys are no accounts. */
const MISLEADING_ROLES: readonly string[] = [...ADMIN_ROLES, 'service_role', 'supabase_admin', 'anon']

/** The protocol's database role. It is part of tokens and grants nothing here. */
export function readRole(role: string): string | undefined {
  if (role === '') return undefined
  if (MISLEADING_ROLES.includes(role)) {
    throw validationFailed(
      `The role "${role}" cannot be given here: administrators are made with POST /rest/v1/admin_users`,
    )
  }
  if (!ROLE.test(role)) throw validationFailed('Invalid role')
  return role
}

/** A duration in Go's format ("24h", "1h30m"); "none" lifts the ban. Undefined if it is missing. */
export function readBan(duration: string, now = Date.now()): string | null | undefined {
  if (duration === '') return undefined
  if (duration === 'none') return null
  const invalid = () =>
    new AppError(400, 'validation_failed', `invalid format for ban duration: time: invalid duration`)
  if (duration.length > 64 || !/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(duration)) throw invalid()
  const parts = duration.split(/(?<=[a-zµ])(?=\d)/)
  const total = parts.reduce(
    (sum, part) => sum + Number.parseFloat(part) * (UNIT_MS[part.replace(/^[\d.]+/, '')] ?? 0),
    0,
  )
  if (total > MAX_BAN_MS) throw invalid()
  return new Date(now + total).toISOString()
}
