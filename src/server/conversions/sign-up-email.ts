import { createHash } from 'node:crypto'
import type { NotNull } from 'kysely'
import { allowsEmail, readChoice } from '../consent/choice.ts'
import type { Db } from '../db/database.ts'
import { isUnexpired } from '../db/time.ts'
import { countSettled } from './outcomes.ts'
import type { ServerPixelList } from './targets.ts'

/** The page tells of the conversion as soon as the subscription is answered. */
export const SIGN_UP_HASH_MS = 10 * 60_000

/**
 * Keeps the hash of the address that was just subscribed, until the page tells of the conversion: the two requests are
 * bound by the consent that both carry, so that no script of the page has to pass the address on. Nothing is kept where no
 * pixel sends it, or where the visitor was not told or did not agree.
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

/** Once: it belongs to one conversion. */
export async function takeSignUp(trx: Db, consentId: string, now: number): Promise<string | null> {
  const row = await trx
    .deleteFrom('sign_up_hashes')
    .where('consent_id', '=', consentId)
    .returning(['email_hash', 'expires_at'])
    .executeTakeFirst()
  return row !== undefined && isUnexpired(row.expires_at, SIGN_UP_HASH_MS, now) ? row.email_hash : null
}

/** Most choices are a first one, behind which nothing waits: that costs no write. */
export async function forgetSignUp(db: Db, consentId: string): Promise<void> {
  const kept = await db
    .selectFrom('sign_up_hashes')
    .select('consent_id')
    .where('consent_id', '=', consentId)
    .executeTakeFirst()
  if (kept !== undefined) await db.deleteFrom('sign_up_hashes').where('consent_id', '=', consentId).execute()
}

/** Deletes whatever waits with the hash of an address, and counts the events that are now told to nobody. */
export async function forgetEmail(trx: Db, email: string): Promise<void> {
  const hash = hashEmail(email)
  if (hash === null) return
  await trx.deleteFrom('sign_up_hashes').where('email_hash', '=', hash).execute()
  const rows = await trx
    .deleteFrom('deliveries')
    .where('email_hash', '=', hash)
    .returning(['pixel_id', 'created_at'])
    .$narrowType<{ pixel_id: NotNull }>()
    .execute()
  await countSettled(
    trx,
    rows.map((row) => ({ ...row, state: 'withheld' as const, reason: '' })),
  )
}

/** As Meta wants it: trimmed and in lower case; dots and what follows a plus belong to it. Null for what has accents. */
export function hashEmail(email: string): string | null {
  const normal = email.trim().toLowerCase()
  if (!/^[\x21-\x3f\x41-\x7e]+@[\x21-\x7e]+$/.test(normal)) return null
  return createHash('sha256').update(normal).digest('hex')
}
