import { randomUUID } from 'node:crypto'
import type { AlertKind } from '#contract/alerts.ts'
import { siteDate } from '#contract/site.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import { selectAdministrators } from '../auth/accounts/users.ts'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { inSteps } from '../db/sweep.ts'
import { aheadRange } from '../db/time.ts'
import { change } from '../db/transactions/change.ts'
import type { Logger } from '../http/logging/logger.ts'
import { type AlertLetter, alertLetter, nextMorning } from './emails.ts'

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

/** Something that is so now, and that somebody may want to be told of once. */
export interface Alert {
  pixelId: string
  kind: AlertKind
  /** Tells two of one kind apart: a host, or nothing. */
  subject: string
  /** Why, in a sentence; nothing in it is of a visitor. */
  text: string
}

/** The code of the reason with which a pixel says that its vendor refuses the token. */
const TOKEN_REFUSED = 'token_refused'

/** Anyone can report any name: of one pixel, so many are told. */
const HOSTS_PER_PIXEL = 10

/** A vendor's file that is another one than our server got before. */
export interface FileChange {
  pixelId: string
  url: string
  sha256: string
}

export function findAlerts({ pixels, blocked_hosts }: TagOverview, changes: readonly FileChange[]): Alert[] {
  const alerts: Alert[] = []
  const known = new Set(pixels.map(({ pixel_id }) => pixel_id))
  for (const { pixel_id: pixelId, health, reasons } of pixels) {
    const refusal = reasons.find(({ code }) => code === TOKEN_REFUSED)
    if (refusal !== undefined)
      alerts.push({ pixelId, kind: 'token_refused', subject: '', text: refusal.message })
    else if (health === 'broken')
      alerts.push({
        pixelId,
        kind: 'broken',
        subject: '',
        text: `Não funciona. ${reasons[0]?.message ?? ''}`.trim(),
      })
  }
  const hosts = new Map<string, number>()
  for (const { host, pixel_ids } of blocked_hosts)
    for (const pixelId of pixel_ids) {
      const count = hosts.get(pixelId) ?? 0
      if (!known.has(pixelId) || count >= HOSTS_PER_PIXEL) continue
      hosts.set(pixelId, count + 1)
      alerts.push({
        pixelId,
        kind: 'new_host',
        subject: host,
        text: `Tentou falar com ${host}, que a página não conhece e barrou.`,
      })
    }
  for (const { pixelId, url, sha256 } of changes)
    alerts.push({
      pixelId,
      kind: 'script_changed',
      // Each change is told once.
      subject: `${url} ${sha256}`,
      text: `O arquivo ${url} não é mais o mesmo que o nosso servidor leu antes. Plataformas mudam os seus arquivos com frequência; isto não diz que algo está errado.`,
    })
  return alerts
}

const LEASE_MS = 120_000

const BATCH = 500

const LAST_ATTEMPT = 8

const FIRST_DELAY_MS = 60_000

/** The next morning is the furthest that one is put off. */
const LONGEST_DELAY_MS = 86_400_000

export interface SendDeps {
  db: Db
  adminUrl: string
  send: (to: string, letter: AlertLetter) => Promise<void>
  log: Pick<Logger, 'warn'>
}

/**
 * Sends what is due, one mail to a person however many pixels it is about. A row that one process has taken is not seen
 * by the others; one that a killed process had taken comes back when its lease ends.
 */
export async function sendAlerts({ db, adminUrl, send, log }: SendDeps, now: number): Promise<void> {
  const claimed = await claim(db, now)
  if (claimed.length === 0) return
  const ids = claimed.map(({ id }) => id)
  const rows = await selectAdministrators(db, now)
    .innerJoin('alert_mails', 'alert_mails.user_id', 'auth_users.id')
    .innerJoin('tracking_pixels', 'tracking_pixels.id', 'alert_mails.pixel_id')
    .select([
      'alert_mails.id',
      'alert_mails.user_id',
      'alert_mails.attempts',
      'alert_mails.kind',
      'alert_mails.text',
      'auth_users.email',
      'tracking_pixels.id as pixelId',
      'tracking_pixels.name as pixelName',
    ])
    .where('alert_mails.id', 'in', ids)
    .where('tracking_pixels.deleted_at', 'is', null)
    .orderBy('tracking_pixels.name')
    .execute()
  // Nobody is told about a pixel that was deleted since, and nobody who lost access since is told.
  const told = new Set(rows.map(({ id }) => id))
  await settle(db, { ids: ids.filter((id) => !told.has(id)), sent_at: new Date(now).toISOString() })
  for (const mails of Map.groupBy(rows, ({ user_id }) => user_id).values()) {
    const own = mails.map(({ id }) => id)
    const [{ email = '', attempts = 0 } = {}] = mails
    try {
      await send(email, alertLetter(mails, adminUrl))
      await settle(db, { ids: own, sent_at: new Date(now).toISOString() })
    } catch (error) {
      // Codes only: the text of a mail server's refusal often repeats the address.
      log.warn({ code: (error as { code?: unknown }).code }, 'an alert could not be mailed yet')
      const isLast = attempts + 1 >= LAST_ATTEMPT
      await settle(db, {
        ids: own,
        attempts: attempts + 1,
        due_at: new Date(now + FIRST_DELAY_MS * 2 ** attempts).toISOString(),
        ...(isLast ? { sent_at: new Date(now).toISOString() } : {}),
      })
    }
  }
}

function claim(db: Db, now: number): Promise<{ id: string }[]> {
  const at = new Date(now).toISOString()
  return db
    .with('due', (query) =>
      query
        .selectFrom('alert_mails')
        .select('id')
        .where('sent_at', 'is', null)
        .where((eb) =>
          eb.or([eb('due_at', '<=', at), eb('due_at', '>', aheadRange(LONGEST_DELAY_MS, now).upTo)]),
        )
        .where((eb) =>
          eb.or([
            eb('leased_until', 'is', null),
            eb('leased_until', '<=', at),
            eb('leased_until', '>', aheadRange(LEASE_MS, now).upTo),
          ]),
        )
        .orderBy('due_at')
        .limit(BATCH)
        .$if(engineOf(db) === 'postgres', (rest) => rest.forUpdate().skipLocked()),
    )
    .updateTable('alert_mails')
    .set({ leased_until: new Date(now + LEASE_MS).toISOString() })
    .where('id', 'in', (eb) => eb.selectFrom('due').select('id'))
    .returning('id')
    .execute()
}

interface Settled {
  ids: readonly string[]
  sent_at?: string
  attempts?: number
  due_at?: string
}

async function settle(db: Db, { ids, ...columns }: Settled): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('alert_mails')
    .set({ ...columns, leased_until: null })
    .where('id', 'in', [...ids])
    .execute()
}

const DAY_MS = 86_400_000

const KEPT_DAYS = 30

/** Mails that were sent, or given up, a month ago. */
export async function sweepAlerts(
  db: Db,
  signal?: AbortSignal,
  now = Date.now(),
): Promise<{ alert_mails: number }> {
  const before = new Date(now - KEPT_DAYS * DAY_MS).toISOString()
  const alert_mails = await inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom('alert_mails')
      .where('id', 'in', (eb) =>
        eb.selectFrom('alert_mails').select('id').where('due_at', '<', before).limit(rows),
      )
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
  return { alert_mails }
}
