import * as z from 'zod/mini'
import { isEmail, normalizeEmail } from '#contract/email.ts'
import { isUuid } from '#contract/uuid.ts'
import { recordAudit } from '#server/activity/trail.ts'
import type { Db } from '#server/db/database.ts'
import { change } from '#server/db/transactions/change.ts'
import { OPERATOR_ACTOR } from '#server/http/security/administrators.ts'
import { isAcceptableHash } from '../passwords/passwords.ts'
import { insertUser } from './users.ts'

const text = z.nullish(z.string())
const document = z.nullish(z.record(z.string(), z.unknown()))

/** The columns of `auth.users` that are used. */
const supabaseUser = z.looseObject({
  id: z.string(),
  email: text,
  encrypted_password: text,
  email_confirmed_at: text,
  confirmation_sent_at: text,
  invited_at: text,
  banned_until: text,
  deleted_at: text,
  is_sso_user: z.nullish(z.boolean()),
  raw_user_meta_data: document,
  raw_app_meta_data: document,
})

export type ImportOutcome =
  | 'imported'
  /** The address or id exists here: that account is left alone. */
  | 'taken'
  /** No address, deleted, from single sign-on, or not a row of `auth.users`. */
  | 'unusable'

/**
 * Imports one account of a Supabase project with id and password, without a role. Its mailbox counts as proved only if
 * Supabase had emailed it: a project with automatic confirmation never checked it.
 */
export async function importSupabaseUser(db: Db, row: unknown): Promise<ImportOutcome> {
  const parsed = z.safeParse(supabaseUser, row)
  if (!parsed.success || !isUuid(parsed.data.id)) return 'unusable'
  const user = parsed.data
  const email = normalizeEmail(user.email ?? '')
  if (!isEmail(email) || user.deleted_at != null || user.is_sso_user === true) return 'unusable'
  const confirmed = user.email_confirmed_at != null
  const isProved = confirmed && (user.confirmation_sent_at != null || user.invited_at != null)
  const hash = user.encrypted_password ?? ''
  return change(db, async (trx) => {
    const made = await insertUser(trx, {
      id: user.id.toLowerCase(),
      email,
      passwordHash: isAcceptableHash(hash) ? hash : null,
      confirmed,
      ...(isProved ? {} : { isStranger: true }),
      userMetadata: user.raw_user_meta_data ?? {},
      appMetadata: user.raw_app_meta_data ?? {},
      bannedUntil: bannedUntil(user.banned_until),
    })
    if (made === null) return 'taken'
    await recordAudit(trx, {
      ...OPERATOR_ACTOR,
      action: 'user.imported',
      subject: made.id,
      after: { email },
    })
    return 'imported'
  })
}

function bannedUntil(value: string | null | undefined): string | null {
  const at = Date.parse(value ?? '')
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}
