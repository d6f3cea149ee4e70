import type { AlertKind } from '#contract/alerts.ts'
import { recordAudit } from '../activity/trail.ts'
import { selectAdministrators } from '../auth/accounts/users.ts'
import type { Db } from '../db/database.ts'
import { locked } from '../db/dialect.ts'
import { aheadRange } from '../db/time.ts'
import { change } from '../db/transactions/change.ts'
import { type AlertMailDeps, headersEmail, nextMorning, storeAlertMail } from './emails.ts'

const KIND: AlertKind = 'headers_changed'
/** How the audit trail names that people were mailed. It also holds when, so that they are mailed once. */
const MAILED = { actor_id: null, actor: 'inventory', action: 'inventory.headers_told' }

/**
 * Mails whoever chose it that the page's headers changed while its tags did not. Like the alerts of a pixel: at most one
 * e-mail a day, later changes wait for the next morning, and a new recipient gets only what comes. The e-mails and the
 * line in the trail are one transaction, under the lock of what is served, so that exactly one process writes them.
 */
export async function mailHeaderChanges(deps: AlertMailDeps, now: number): Promise<void> {
  const { db, adminUrl } = deps
  if ((await readChanges(db, await readMailedAt(db, now))).length === 0) return
  await change(db, async (trx) => {
    await locked(trx, trx.selectFrom('served_state').select('id')).execute()
    const mailedAt = await readMailedAt(trx, now)
    if (mailedAt !== null && now < nextMorning(Date.parse(mailedAt))) return
    const changes = await readChanges(trx, mailedAt)
    const people = (await readRecipients(trx, now)).flatMap(({ email, changed_at }) => {
      const news = changes.filter(({ since }) => since > changed_at)
      return news.length === 0 ? [] : [{ email, news }]
    })
    if (people.length === 0) return
    for (const { email: to, news } of people) {
      const times = news.map(({ since }) => since)
      await storeAlertMail(deps, trx, { to, email: headersEmail(times, adminUrl), now })
    }
    await recordAudit(trx, { ...MAILED, after: { people: people.length } }, new Date(now))
  })
}

/** A time that is still to come was written by a wrong clock, and counts for nothing. */
async function readMailedAt(db: Db, now: number): Promise<string | null> {
  const last = await db
    .selectFrom('audit_events')
    .select('created_at')
    .where('action', '=', MAILED.action)
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

async function readRecipients(trx: Db, now: number) {
  const rows = await selectAdministrators(trx, now)
    .innerJoin('alert_choices', 'alert_choices.user_id', 'auth_users.id')
    .select(['auth_users.email', 'alert_choices.kinds', 'alert_choices.changed_at'])
    .execute()
  return rows.filter(({ kinds }) => kinds.includes(KIND))
}
