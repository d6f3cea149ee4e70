import { randomUUID } from 'node:crypto'
import type { AlertKind } from '#contract/alerts.ts'
import { siteDate } from '#contract/site.ts'
import { selectAdministrators } from '../db/administrators.ts'
import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'
import type { Alert } from './find-alerts.ts'
import { nextMorning } from './next-morning.ts'

interface Recipient {
  userId: string
  kinds: readonly AlertKind[]
}

/**
 * Compares what is so with what was known, and owes a mail to each who wants to hear of what is new: at once, or with the
 * next morning's digest where that pixel had its mail today. Of several processes that see the same, one writes it down.
 */
export async function noteAlerts(
  db: Db,
  alerts: readonly Alert[],
  recipients: readonly Recipient[],
  now: number,
): Promise<void> {
  await forgetEnded(db, alerts)
  for (const alert of alerts) await noteAlert(db, alert, recipients, now)
}

/** Those who chose something and still have access. */
export async function readRecipients(db: Db, now: number): Promise<Recipient[]> {
  const rows = await selectAdministrators(db, now)
    .innerJoin('alert_choices', 'alert_choices.user_id', 'auth_users.id')
    .select(['alert_choices.user_id', 'alert_choices.kinds'])
    .execute()
  return rows
    .map(({ user_id, kinds }) => ({ userId: user_id, kinds }))
    .filter(({ kinds }) => kinds.length > 0)
}

async function noteAlert(
  db: Db,
  { pixelId, kind, subject, text }: Alert,
  recipients: readonly Recipient[],
  now: number,
): Promise<void> {
  const at = new Date(now).toISOString()
  const day = siteDate(now)
  await change(db, async (trx) => {
    const isNew = await trx
      .insertInto('alert_states')
      .values({ pixel_id: pixelId, kind, subject, since: at })
      .onConflict((conflict) => conflict.doNothing())
      .returning('since')
      .executeTakeFirst()
    if (isNew === undefined) return
    for (const { userId } of recipients.filter(({ kinds }) => kinds.includes(kind))) {
      const mail = { user_id: userId, pixel_id: pixelId, day, kind, text, leased_until: null, sent_at: null }
      const first = await trx
        .insertInto('alert_mails')
        .values({ ...mail, id: randomUUID(), way: 'at_once', due_at: at })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst()
      if (first !== undefined) continue
      const due_at = new Date(nextMorning(now)).toISOString()
      await trx
        .insertInto('alert_mails')
        .values({ ...mail, id: randomUUID(), way: 'digest', due_at })
        .execute()
    }
  })
}

/** A pixel that works again may stop working again. A host stays known: it is new only once. */
async function forgetEnded(db: Db, alerts: readonly Alert[]): Promise<void> {
  const known = await db
    .selectFrom('alert_states')
    .select(['pixel_id', 'kind'])
    .where('kind', '!=', 'new_host')
    .execute()
  const ended = known.filter(
    ({ pixel_id, kind }) => !alerts.some((alert) => alert.pixelId === pixel_id && alert.kind === kind),
  )
  for (const { pixel_id, kind } of ended)
    await db.deleteFrom('alert_states').where('pixel_id', '=', pixel_id).where('kind', '=', kind).execute()
}
