import type { AlertKind } from '#contract/alerts.ts'
import { recordAudit } from '../activity/trail.ts'
import { selectAdministrators } from '../auth/accounts/users.ts'
import type { Db } from '../db/database.ts'
import { locked } from '../db/dialect.ts'
import { aheadRange } from '../db/time.ts'
import { change } from '../db/transactions/change.ts'
import { readChat, storeChatAlert } from './chat-alerts.ts'
import { type AlertMailDeps, headersEmail, nextMorning, storeAlertMail } from './emails.ts'

const KIND: AlertKind = 'headers_changed'
/** The audit action for emailed header changes. Its time ensures that each change is emailed once. */
const MAILED = { actor_id: null, actor: 'inventory', action: 'inventory.headers_told' }

/**
 * Tells subscribers, and the chat, when the page's headers changed while its tags did not. At most one email a day, later changes
 * wait for the next morning, and new subscribers get only new changes. Emails and audit event are one transaction,
 * under the lock of the served state, so that exactly one process sends them.
 */
export async function mailHeaderChanges(
  deps: AlertMailDeps & { canSend: boolean },
  now: number,
): Promise<void> {
  const { db, adminUrl, canSend } = deps
  if ((await readChanges(db, await readMailedAt(db, now))).length === 0) return
  await change(db, async (trx) => {
    await locked(trx, trx.selectFrom('served_state').select('id')).execute()
    const mailedAt = await readMailedAt(trx, now)
    if (mailedAt !== null && now < nextMorning(Date.parse(mailedAt))) return
    const changes = await readChanges(trx, mailedAt)
    const newsAfter = (time: string) => changes.map(({ since }) => since).filter((since) => since > time)
    const people = (canSend ? await readRecipients(trx, now) : [])
      .map(({ email, changed_at }) => ({ to: email, times: newsAfter(changed_at) }))
      .filter(({ times }) => times.length > 0)
    const chat = await readChat(trx)
    const forChat = chat?.kinds.includes(KIND) ? newsAfter(chat.changed_at) : []
    if (people.length + forChat.length === 0) return
    for (const { to, times } of people)
      await storeAlertMail(deps, trx, { to, email: headersEmail(times, adminUrl), now })
    if (forChat.length > 0) await storeChatAlert(deps, trx, headersEmail(forChat, adminUrl), now)
    await recordAudit(trx, { ...MAILED, after: { people: people.length } }, new Date(now))
  })
}

/** A time in the future comes from a wrong clock and is ignored. */
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
