import { createHash } from 'node:crypto'
import type { NotNull } from 'kysely'
import { MINUTE_MS } from '#contract/durations.ts'
import { allowsEmail, readChoice } from '../consent/choice.ts'
import type { Db } from '../db/database.ts'
import { isUnexpired } from '../db/time.ts'
import { countSettled } from './delivery-results.ts'
import type { Destination, EmailHash } from './destinations/destination.ts'
import { emailSharingOf } from './destinations/destinations.ts'
import type { ServerPixel, ServerPixelList } from './targets.ts'

/** The page posts the conversion right after the response to the subscription. */
export const SIGN_UP_HASH_MS = 10 * MINUTE_MS

interface Sender {
  destination: Destination
  sendsEmail: boolean
}

/** Whose address it is: the text that names Meta alone speaks of subscribers only. */
type AddressOf = 'subscriber' | 'customer'

/** The pixel sends hashed addresses, and the visitor agreed on a text that says so. */
export function maySendEmail(
  { destination: { email }, sendsEmail }: Sender,
  choice: Parameters<typeof allowsEmail>[0],
  of: AddressOf,
): boolean {
  return (
    sendsEmail &&
    email !== undefined &&
    allowsEmail(choice, email.recipient) &&
    (of === 'subscriber' || emailSharingOf(choice.textVersion)?.ofCustomers === true)
  )
}

/**
 * Keeps the hashes of a new subscriber's address until the page posts the conversion. The consent id in both requests
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
  if (choice === null) return
  const { all } = await pixels.current()
  const getsEmail = (pixel: ServerPixel) =>
    choice.granted.includes(pixel.category) && maySendEmail(pixel, choice, 'subscriber')
  if (!all.some(getsEmail)) return
  const email_hash = hashEmail(email)
  if (email_hash === null) return
  const row = {
    email_hash,
    google_hash: hashEmail(email, 'google'),
    expires_at: new Date(now + SIGN_UP_HASH_MS).toISOString(),
  }
  await db
    .insertInto('sign_up_hashes')
    .values({ consent_id: choice.id, ...row })
    .onConflict((conflict) => conflict.column('consent_id').doUpdateSet(row))
    .execute()
}

/** By the kind that destinations want. */
export type EmailHashes = Readonly<Record<EmailHash, string | null>>

/** Works once: the hashes belong to one conversion. */
export async function takeSignUp(trx: Db, consentId: string, now: number): Promise<EmailHashes | null> {
  const row = await trx
    .deleteFrom('sign_up_hashes')
    .where('consent_id', '=', consentId)
    .returning(['email_hash', 'google_hash', 'expires_at'])
    .executeTakeFirst()
  if (row === undefined || !isUnexpired(row.expires_at, SIGN_UP_HASH_MS, now)) return null
  return { ordinary: row.email_hash, google: row.google_hash }
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

/** Deletes waiting events with a hash of an address, and counts them as withheld. */
export async function forgetEmail(trx: Db, email: string): Promise<void> {
  const hash = hashEmail(email)
  if (hash === null) return
  await trx.deleteFrom('sign_up_hashes').where('email_hash', '=', hash).execute()
  const rows = await trx
    .deleteFrom('deliveries')
    .where('email_hash', 'in', [hash, hashEmail(email, 'google') ?? hash])
    .returning(['pixel_id', 'event', 'created_at'])
    .$narrowType<{ pixel_id: NotNull; event: NotNull }>()
    .execute()
  await countSettled(
    trx,
    rows.map((row) => ({ ...row, state: 'withheld' as const, reason: '' })),
  )
}

/**
 * Of the address trimmed and in lower case. Google also wants Gmail addresses without dots and plus suffixes; the others
 * keep them. Null for addresses with accents.
 */
export function hashEmail(email: string, kind: EmailHash = 'ordinary'): string | null {
  const normal = email.trim().toLowerCase()
  const [, local = '', domain = ''] = /^([\x21-\x3f\x41-\x7e]+)@([\x21-\x7e]+)$/.exec(normal) ?? []
  if (domain === '') return null
  const isGmail = kind === 'google' && /^(gmail|googlemail)\.com$/.test(domain)
  const text = isGmail ? `${local.replace(/\+.*/, '').replaceAll('.', '')}@${domain}` : normal
  return createHash('sha256').update(text).digest('hex')
}
