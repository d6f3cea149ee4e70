import { randomUUID } from 'node:crypto'
import type { AlertKind } from '#contract/alerts.ts'
import { DAY_MS } from '#contract/durations.ts'
import { siteDate } from '#contract/site.ts'
import type { Db } from '../db/database.ts'
import { locked } from '../db/dialect.ts'
import { aheadRange } from '../db/time.ts'
import { afterCommit, change } from '../db/transactions/change.ts'
import { storeChatMessage } from './chat.ts'
import { type AlertEmail, type AlertMailDeps, alertEmail, nextMorning } from './emails.ts'

/** What the chat is told, and since when; null if none is connected. */
export async function readChat(db: Db): Promise<{ kinds: readonly AlertKind[]; changed_at: string } | null> {
  const row = await db.selectFrom('alert_webhooks').select(['kinds', 'changed_at']).executeTakeFirst()
  return row ?? null
}

/** In the transaction that finds a new alert: due at once, or with the next morning's if its pixel had one today. */
export async function noteChatAlert(
  trx: Db,
  { pixelId, kind, text }: { pixelId: string; kind: AlertKind; text: string },
  now: number,
): Promise<void> {
  const post = { pixel_id: pixelId, day: siteDate(now), kind, text, sent_at: null }
  const first = await trx
    .insertInto('alert_posts')
    .values({ ...post, id: randomUUID(), way: 'at_once', due_at: new Date(now).toISOString() })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (first !== undefined) return
  const due_at = new Date(nextMorning(now)).toISOString()
  await trx
    .insertInto('alert_posts')
    .values({ ...post, id: randomUUID(), way: 'digest', due_at })
    .execute()
}

/** Lines of one message. */
const BATCH = 500

/** A line is delayed until the next morning at most. */
const LONGEST_DELAY_MS = DAY_MS

/** Stores one message about all due lines, in the transaction that marks them sent: whichever process finds them. */
export async function postDueAlerts(deps: AlertMailDeps, now: number): Promise<void> {
  await change(deps.db, async (trx) => {
    const ids = (await lockDue(trx, now)).map(({ id }) => id)
    if (ids.length === 0) return
    const lines = await readLines(trx, ids)
    if (lines.length > 0 && (await readChat(trx)) !== null)
      await storeChatAlert(deps, trx, alertEmail(lines, deps.adminUrl), now)
    // Also lines of deleted pixels, and of a chat that was removed.
    await trx
      .updateTable('alert_posts')
      .set({ sent_at: new Date(now).toISOString() })
      .where('id', 'in', ids)
      .execute()
  })
}

/** The chat gets the words of the email, without its closing. */
export async function storeChatAlert(
  { secrets, wakeOutbox }: AlertMailDeps,
  trx: Db,
  { subject, paragraphs, action }: AlertEmail,
  now: number,
): Promise<void> {
  await storeChatMessage(trx, secrets, { kind: 'alert', title: subject, lines: paragraphs, action }, now)
  afterCommit(trx, wakeOutbox)
}

/** Another process that holds them is waited for: skipping its lines would split one message into two. */
function lockDue(trx: Db, now: number): Promise<{ id: string }[]> {
  const at = new Date(now).toISOString()
  const due = trx
    .selectFrom('alert_posts')
    .select('id')
    .where('sent_at', 'is', null)
    .where((eb) => eb.or([eb('due_at', '<=', at), eb('due_at', '>', aheadRange(LONGEST_DELAY_MS, now).upTo)]))
    .orderBy('due_at')
    .orderBy('id')
    .limit(BATCH)
  return locked(trx, due).execute()
}

function readLines(trx: Db, ids: readonly string[]) {
  return trx
    .selectFrom('alert_posts')
    .innerJoin('tracking_pixels', 'tracking_pixels.id', 'alert_posts.pixel_id')
    .select([
      'alert_posts.kind',
      'alert_posts.text',
      'tracking_pixels.id as pixelId',
      'tracking_pixels.name as pixelName',
    ])
    .where('alert_posts.id', 'in', ids)
    .where('tracking_pixels.deleted_at', 'is', null)
    .orderBy('tracking_pixels.name')
    .execute()
}
