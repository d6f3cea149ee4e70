import type { NotNull } from 'kysely'
import type { OptionalCategory } from '#contract/consent.ts'
import { OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import type { Db } from '../db/database.ts'
import { change } from '../db/transactions/change.ts'
import { countSettled } from './delivery-results.ts'
import { DESTINATIONS } from './destinations/destinations.ts'
import { forgetSignUp } from './sign-up-email.ts'
import { expireCookies, VISITOR_COOKIE } from './visitor-cookies.ts'

/** What a visitor's newest choice ends. */
export interface Withdrawal {
  consentId: string
  granted: readonly string[]
  cookieHeader: string | undefined
}

/** Deletes waiting events whose consent was withdrawn, and counts them. Returns the cookies to expire. */
export async function withholdEvents(
  db: Db,
  isSecure: boolean,
  { consentId, granted, cookieHeader }: Withdrawal,
): Promise<string[]> {
  const refused = OPTIONAL_CATEGORIES.filter((category) => !granted.includes(category))
  if (refused.length === 0) return []
  await deleteWaiting(db, consentId, refused)
  if (refused.includes('marketing')) await forgetSignUp(db, consentId)
  const ended = DESTINATIONS.flatMap(({ cookies }) => cookies)
    .filter(({ category }) => category !== null && refused.includes(category))
    .map(({ name }) => name)
  return expireCookies(cookieHeader, isSecure, [...ended, ...(granted.length === 0 ? [VISITOR_COOKIE] : [])])
}

async function deleteWaiting(
  db: Db,
  consentId: string,
  categories: readonly OptionalCategory[],
): Promise<void> {
  // Reads first, because most choices have nothing to delete and should cost no write.
  const waiting = await db
    .selectFrom('deliveries')
    .select('id')
    .where('consent_id', '=', consentId)
    .where('category', 'in', categories)
    .limit(1)
    .executeTakeFirst()
  if (waiting === undefined) return
  await change(db, async (trx) => {
    const rows = await trx
      .deleteFrom('deliveries')
      .where('consent_id', '=', consentId)
      .where('category', 'in', categories)
      .returning(['pixel_id', 'event', 'created_at', 'sent_at'])
      .$narrowType<{ pixel_id: NotNull; event: NotNull }>()
      .execute()
    await countSettled(
      trx,
      // An event that was handed to a vendor without answers may have arrived.
      rows.map(({ sent_at, ...row }) => ({
        ...row,
        state: sent_at === null ? ('withheld' as const) : ('unconfirmed' as const),
        reason: '',
      })),
    )
  })
}
