import type { NotNull } from 'kysely'
import type { OptionalCategory } from '#contract/consent.ts'
import { OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import type { Db } from '../db/database.ts'
import { change } from '../db/transactions/change.ts'
import { DESTINATIONS } from './destinations/destinations.ts'
import { countSettled } from './outcomes.ts'
import { forgetSignUp } from './sign-up-email.ts'
import { expireCookies, VISITOR_COOKIE } from './visitor-cookies.ts'

/** What a visitor's newest choice ends. */
export interface Withdrawal {
  consentId: string
  granted: readonly string[]
  cookieHeader: string | undefined
}

/** Deletes what waits under a consent that was taken back, and counts it. Gives the cookies that end with it. */
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
  // Most choices are a first one, behind which nothing waits: that costs no write.
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
      .returning(['pixel_id', 'created_at', 'sent_at'])
      .$narrowType<{ pixel_id: NotNull }>()
      .execute()
    await countSettled(
      trx,
      // What was handed over to a vendor that never answers may have arrived.
      rows.map(({ sent_at, ...row }) => ({
        ...row,
        state: sent_at === null ? ('withheld' as const) : ('unconfirmed' as const),
        reason: '',
      })),
    )
  })
}
