import { randomUUID } from 'node:crypto'
import type { AlertKind } from '#contract/alerts.ts'
import { DAY_MS } from '#contract/durations.ts'
import { siteDate } from '#contract/site.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import { selectAdministrators } from '../auth/accounts/users.ts'
import type { Db } from '../db/database.ts'
import { locked } from '../db/dialect.ts'
import { aheadRange } from '../db/time.ts'
import { change } from '../db/transactions/change.ts'
import type { FileChange } from '../inventory/vendor-files.ts'
import { noteChatAlert } from './chat-alerts.ts'
import { type AlertMailDeps, alertEmail, nextMorning, storeAlertMail } from './emails.ts'

interface Recipient {
  userId: string
  kinds: readonly AlertKind[]
}

/** Who is told what. */
export interface Subscribers {
  people: readonly Recipient[]
  /** What the chat is told. */
  chat: readonly AlertKind[]
}

/**
 * Compares the current state with the known one and stores a line for each subscriber: due at once, or in the
 * next morning's digest if that pixel had its email today. Exactly one of several processes stores it.
 */
export async function noteAlerts(
  db: Db,
  alerts: readonly Alert[],
  subscribers: Subscribers,
  now: number,
): Promise<void> {
  await forgetEnded(db, alerts)
  for (const alert of alerts) await noteAlert(db, alert, subscribers, now)
}

/** Subscribers who still have access. */
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
  subscribers: Subscribers,
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
    if (subscribers.chat.includes(kind)) await noteChatAlert(trx, { pixelId, kind, text }, now)
    for (const { userId } of subscribers.people.filter(({ kinds }) => kinds.includes(kind))) {
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

/** A pixel that recovered may break again. A host stays known: it is new only once. */
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

/** A current fact that subscribers are told once. */
export interface Alert {
  pixelId: string
  kind: AlertKind
  /** Distinguishes two of one kind: a host, or empty. */
  subject: string
  /** The reason as a sentence, without data of visitors. */
  text: string
}

/** The reason code for a token that the vendor refuses. */
const TOKEN_REFUSED = 'token_refused'

/** Anybody can report any name: at most this many per pixel are reported. */
const HOSTS_PER_PIXEL = 10

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
        text: `Não está funcionando. ${reasons[0]?.message ?? ''}`.trim(),
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
        text: `Tentou acessar ${host}, um domínio que não está permitido. O site bloqueou. Se o domínio for da plataforma, permita na página do pixel.`,
      })
    }
  for (const { pixelId, url, sha256 } of changes)
    alerts.push({
      pixelId,
      kind: 'script_changed',
      // Each change is reported once.
      subject: `${url} ${sha256}`,
      text: `O arquivo ${url} mudou desde a última verificação. Plataformas atualizam arquivos com frequência, e isso sozinho não indica problema.`,
    })
  return alerts
}

/** Lines emailed in one transaction. */
const BATCH = 500

/** A line is delayed until the next morning at most. */
const LONGEST_DELAY_MS = DAY_MS

/** How long a process of an earlier release, which sends alerts itself, may hold a line. */
const FORMER_LEASE_MS = 120_000

/**
 * Stores one email per person about all due lines, in the transaction that marks them sent: each is emailed once,
 * whichever process finds it.
 */
export async function mailDueAlerts(deps: AlertMailDeps, now: number): Promise<void> {
  await change(deps.db, async (trx) => {
    const ids = (await lockDue(trx, now)).map(({ id }) => id)
    if (ids.length === 0) return
    for (const lines of Map.groupBy(await readLines(trx, ids, now), ({ email }) => email).values()) {
      const [{ email: to = '' } = {}] = lines
      await storeAlertMail(deps, trx, { to, email: alertEmail(lines, deps.adminUrl), now })
    }
    // Also lines of deleted pixels and of people who lost access: those are emailed to nobody.
    await trx
      .updateTable('alert_mails')
      .set({ sent_at: new Date(now).toISOString(), leased_until: null })
      .where('id', 'in', ids)
      .execute()
  })
}

/** Another process that holds them is waited for: skipping its lines would split one message into two. */
function lockDue(trx: Db, now: number): Promise<{ id: string }[]> {
  const at = new Date(now).toISOString()
  const due = trx
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
    .orderBy('id')
    .limit(BATCH)
  return locked(trx, due).execute()
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
