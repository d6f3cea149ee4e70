import { createHash } from 'node:crypto'
import type { NotNull } from 'kysely'
import { MINUTE_MS } from '#contract/durations.ts'
import { allowsEmail, readChoice } from '../consent/choice.ts'
import type { Db } from '../db/database.ts'
import { isUnexpired } from '../db/time.ts'
import { countSettled } from './delivery-results.ts'
import type { ServerPixelList } from './targets.ts'

/** The page posts the conversion right after the response to the subscription. */
export const SIGN_UP_HASH_MS = 10 * MINUTE_MS

/**
 * Keeps the hash of a new subscriber's address until the page posts the conversion. The consent id in both requests
 * joins them, so that no script of the page has to pass the address on. Stores nothing if no pixel sends it, or if the
 * visitor was not told or did not agree.
 */
export async function rememberSignUp(
  { db, pixels }: { db: Db; pixels: ServerPixelList },
  cookieHeader: string | undefined,
  email: string,
  now = Date.now(),
): Promise<void> {
  const choice = readChoice(cookieHeader)
  if (choice === null || !allowsEmail(choice)) return
  const { all } = await pixels.current()
  if (!all.some(({ sendsEmail, category }) => sendsEmail && choice.granted.includes(category))) return
  const hash = hashEmail(email)
  if (hash === null) return
  const row = { email_hash: hash, expires_at: new Date(now + SIGN_UP_HASH_MS).toISOString() }
  await db
    .insertInto('sign_up_hashes')
    .values({ consent_id: choice.id, ...row })
    .onConflict((conflict) => conflict.column('consent_id').doUpdateSet(row))
    .execute()
}

/** Works once: the hash belongs to one conversion. */
export async function takeSignUp(trx: Db, consentId: string, now: number): Promise<string | null> {
  const row = await trx
    .deleteFrom('sign_up_hashes')
    .where('consent_id', '=', consentId)
    .returning(['email_hash', 'expires_at'])
    .executeTakeFirst()
  return row !== undefined && isUnexpired(row.expires_at, SIGN_UP_HASH_MS, now) ? row.email_hash : null
}

/** Reads first, because most choices have nothing to delete and should cost no write. */
export async function forgetSignUp(db: Db, consentId: string): Promise<void> {
  const kept = await db
    .selectFrom('sign_up_hashes')
    .select('consent_id')
    .where('consent_id', '=', consentId)
    .executeTakeFirst()
  if (kept !== undefined) await db.deleteFrom('sign_up_hashes').where('consent_id', '=', consentId).execute()
}

/** Deletes waiting events with the hash of an address, and counts them as withheld. */
export async function forgetEmail(trx: Db, email: string): Promise<void> {
  const hash = hashEmail(email)
  if (hash === null) return
  await trx.deleteFrom('sign_up_hashes').where('email_hash', '=', hash).execute()
  const rows = await trx
    .deleteFrom('deliveries')
    .where('email_hash', '=', hash)
    .returning(['pixel_id', 'event', 'created_at'])
    .$narrowType<{ pixel_id: NotNull; event: NotNull }>()
    .execute()
  await countSettled(
    trx,
    rows.map((row) => ({ ...row, state: 'withheld' as const, reason: '' })),
  )
}

/** As Meta requires: trimmed and in lower case, with dots and plus suffixes kept. Null for addresses with accents. */
export function hashEmail(email: string): string | null {
  const normal = email.trim().toLowerCase()
  if (!/^[\x21-\x3f\x41-\x7e]+@[\x21-\x7e]+$/.test(normal)) return null
  return createHash('sha256').update(normal).digest('hex')
}
