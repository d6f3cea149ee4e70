import { randomUUID } from 'node:crypto'
import type { AlertKind } from '#contract/alerts.ts'
import { siteDate } from '#contract/site.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import { selectAdministrators } from '../auth/accounts/users.ts'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { aheadRange } from '../db/time.ts'
import { change } from '../db/transactions/change.ts'
import { type AlertMailDeps, alertEmail, nextMorning, storeAlertMail } from './emails.ts'

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

/** Lines that are mailed in one transaction. */
const BATCH = 500

/** The next morning is the furthest that one is put off. */
const LONGEST_DELAY_MS = 86_400_000

/** How long a process of an earlier release, which sends alerts itself, may hold a line. */
const FORMER_LEASE_MS = 120_000

/**
 * Writes one e-mail to each person about the lines that are due, however many pixels they are about, in the transaction
 * that marks the lines sent: each is mailed once, whichever process finds it. The outbox sends the e-mail.
 */
export async function mailDueAlerts(deps: AlertMailDeps, now: number): Promise<void> {
  await change(deps.db, async (trx) => {
    const ids = (await lockDue(trx, now)).map(({ id }) => id)
    if (ids.length === 0) return
    for (const lines of Map.groupBy(await readLines(trx, ids, now), ({ email }) => email).values()) {
      const [{ email: to = '' } = {}] = lines
      await storeAlertMail(deps, trx, { to, email: alertEmail(lines, deps.adminUrl), now })
    }
    // Also of a pixel that was deleted since, and of somebody who lost access since: those are mailed to nobody.
    await trx
      .updateTable('alert_mails')
      .set({ sent_at: new Date(now).toISOString(), leased_until: null })
      .where('id', 'in', ids)
      .execute()
  })
}

function lockDue(trx: Db, now: number): Promise<{ id: string }[]> {
  const at = new Date(now).toISOString()
  return trx
    .selectFrom('alert_mails')
    .select('id')
    .where('sent_at', 'is', null)
    .where((eb) => eb.or([eb('due_at', '<=', at), eb('due_at', '>', aheadRange(LONGEST_DELAY_MS, now).upTo)]))
    .where((eb) =>
      eb.or([
        eb('leased_until', 'is', null),
        eb('leased_until', '<=', at),
        eb('leased_until', '>', aheadRange(FORMER_LEASE_MS, now).upTo),
      ]),
    )
    .orderBy('due_at')
    .limit(BATCH)
    .$if(engineOf(trx) === 'postgres', (query) => query.forUpdate().skipLocked())
    .execute()
}

function readLines(trx: Db, ids: readonly string[], now: number) {
  return selectAdministrators(trx, now)
    .innerJoin('alert_mails', 'alert_mails.user_id', 'auth_users.id')
    .innerJoin('tracking_pixels', 'tracking_pixels.id', 'alert_mails.pixel_id')
    .select([
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
}
