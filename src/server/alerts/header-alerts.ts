import type { AlertKind } from '#contract/alerts.ts'
import { recordAudit } from '../activity/trail.ts'
import { selectAdministrators } from '../auth/accounts/users.ts'
import type { Db } from '../db/database.ts'
import { locked } from '../db/dialect.ts'
import { aheadRange } from '../db/time.ts'
import { change } from '../db/transactions/change.ts'
import { type AlertLetter, headersLetter, nextMorning } from './emails.ts'

const KIND: AlertKind = 'headers_changed'
/** How the trail names that people were told; it also says when, so that they are told once. */
const TOLD = { actor_id: null, actor: 'inventory', action: 'inventory.headers_told' }

export interface HeaderChangesDeps {
  db: Db
  adminUrl: string
  /** Queues a mail in the transaction that is passed. */
  queueLetter: (trx: Db, to: string, letter: AlertLetter) => Promise<void>
}

/**
 * Tells whoever chose it that the page's headers changed while its tags did not. Like the alerts of a pixel: at most one
 * mail a day, what comes after it waits for the next morning, and who begins to listen hears of what comes. The mails and
 * the line in the trail are one transaction, under the lock of what is served, so that one process tells it once.
 */
export async function tellHeaderChanges(
  { db, adminUrl, queueLetter }: HeaderChangesDeps,
  now: number,
): Promise<void> {
  if ((await readChanges(db, await readToldAt(db, now))).length === 0) return
  await change(db, async (trx) => {
    await locked(trx, trx.selectFrom('served_state').select('id')).execute()
    const toldAt = await readToldAt(trx, now)
    if (toldAt !== null && now < nextMorning(Date.parse(toldAt))) return
    const changes = await readChanges(trx, toldAt)
    const people = (await readListeners(trx, now)).flatMap(({ email, changed_at }) => {
      const news = changes.filter(({ since }) => since > changed_at)
      return news.length === 0 ? [] : [{ email, news }]
    })
    if (people.length === 0) return
    for (const { email, news } of people)
      await queueLetter(
        trx,
        email,
        headersLetter(
          news.map(({ since }) => since),
          adminUrl,
        ),
      )
    await recordAudit(trx, { ...TOLD, after: { people: people.length } }, new Date(now))
  })
}

/** A time that is still to come was written by a wrong clock, and counts for nothing. */
async function readToldAt(db: Db, now: number): Promise<string | null> {
  const last = await db
    .selectFrom('audit_events')
    .select('created_at')
    .where('action', '=', TOLD.action)
    .where('created_at', '<=', aheadRange(0, now).upTo)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.created_at ?? null
}

/** Oldest first. */
function readChanges(db: Db, after: string | null) {
  return db
    .selectFrom('served_headers')
    .select('since')
    .where('is_unasked', '=', true)
    .$if(after !== null, (query) => query.where('since', '>', after))
    .orderBy('since')
    .execute()
}

async function readListeners(trx: Db, now: number) {
  const rows = await selectAdministrators(trx, now)
    .innerJoin('alert_choices', 'alert_choices.user_id', 'auth_users.id')
    .select(['auth_users.email', 'alert_choices.kinds', 'alert_choices.changed_at'])
    .execute()
  return rows.filter(({ kinds }) => kinds.includes(KIND))
}
