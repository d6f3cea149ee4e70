import { randomBytes } from 'node:crypto'
import { DAY_MS } from '#contract/durations.ts'
import { nextSiteDay, siteDate, startOfSiteDate } from '#contract/site.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import type { VisitReport } from '#contract/visit-report.ts'
import { selectAdministrators } from '../auth/accounts/users.ts'
import type { Db } from '../db/database.ts'
import { afterCommit, change } from '../db/transactions/change.ts'
import { storeMail } from '../mail/channel.ts'
import { renderEmail } from '../mail/email.ts'
import { isSameSecret, keyedHash } from '../secrets/tokens.ts'
import { type AlertMailDeps, nextMorning } from './emails.ts'
import { summaryEmail, type WeekFacts } from './summary-email.ts'

export interface SummaryDeps extends AlertMailDeps, SummaryPorts {
  readOverview: () => Promise<TagOverview>
}

/** What only the summary needs. */
export interface SummaryPorts {
  /** Public origin, where the link that ends the summary leads. */
  siteUrl: string
  /** Visits of days of the site, both inclusive, by campaign. */
  readVisits: (from: string, to: string) => Promise<VisitReport>
}

/**
 * On Mondays from 8 a.m. on, stores an email for each administrator who wants it. Exactly one process does: the one that
 * inserts the row of the week, in the same transaction. After Monday the week is over, and nothing is sent.
 * @returns The Monday that is done, sent by this process or another; null before 8 a.m. and on other days.
 */
export async function mailWeeklySummary(deps: SummaryDeps, now: number): Promise<string | null> {
  const { db, secrets, brandName, wakeOutbox } = deps
  const monday = siteDate(now)
  const start = startOfSiteDate(monday)
  const dueAt = nextMorning(start - 1)
  if (!isMonday(monday) || now < dueAt) return null
  if (await wasSent(db, monday)) return monday
  const facts = await readFacts(deps, monday)
  await change(db, async (trx) => {
    const claimed = await trx
      .insertInto('summary_weeks')
      .values({ monday, sent_at: new Date(now).toISOString() })
      .onConflict((conflict) => conflict.doNothing())
      .returning('monday')
      .executeTakeFirst()
    if (claimed === undefined) return
    const mail = renderEmail(summaryEmail(facts, deps.adminUrl), brandName)
    const usefulMs = nextSiteDay(start) - now
    for (const { user_id, email, link_key } of await readRecipients(trx, now, dueAt)) {
      const url = unsubscribeUrl(deps.siteUrl, user_id, link_key)
      await storeMail(
        trx,
        secrets,
        { kind: 'weekly-summary', to: email, ...mail, unsubscribeUrl: url, usefulMs },
        now,
      )
    }
    afterCommit(trx, wakeOutbox)
  })
  return monday
}

function isMonday(date: string): boolean {
  return new Date(`${date}T12:00:00Z`).getUTCDay() === 1
}

async function wasSent(db: Db, monday: string): Promise<boolean> {
  const row = await db
    .selectFrom('summary_weeks')
    .select('monday')
    .where('monday', '=', monday)
    .executeTakeFirst()
  return row !== undefined
}

/** Those who chose it before it was due, and still have access. */
function readRecipients(trx: Db, now: number, dueAt: number) {
  return selectAdministrators(trx, now)
    .innerJoin('summary_choices', 'summary_choices.user_id', 'auth_users.id')
    .select(['summary_choices.user_id', 'summary_choices.link_key', 'auth_users.email'])
    .where('summary_choices.chosen_at', '<=', new Date(dueAt).toISOString())
    .execute()
}

async function readFacts(deps: SummaryDeps, monday: string): Promise<WeekFacts> {
  const day = (offset: number) =>
    new Date(Date.parse(`${monday}T12:00:00Z`) + offset * DAY_MS).toISOString().slice(0, 10)
  const [week, before, overview, pixels] = await Promise.all([
    deps.readVisits(day(-7), day(-1)),
    deps.readVisits(day(-14), day(-8)),
    deps.readOverview(),
    deps.db
      .selectFrom('tracking_pixels')
      .select(['id', 'name'])
      .where('is_active', '=', true)
      .where('deleted_at', 'is', null)
      .orderBy('name')
      .execute(),
  ])
  const healthOf = new Map(overview.pixels.map((pixel) => [pixel.pixel_id, pixel]))
  const tags = pixels.flatMap(({ id, name }) => {
    const found = healthOf.get(id)
    return found?.health === 'broken' || found?.health === 'partial'
      ? [{ name, reason: found.reasons[0]?.message ?? 'Veja o motivo no painel.' }]
      : []
  })
  return { week, before, tags }
}

/** Whether the person gets the summary. */
export async function readSummaryChoice(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('summary_choices')
    .select('chosen_at')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row !== undefined && row.chosen_at !== null
}

export async function storeSummaryChoice(trx: Db, userId: string, isWanted: boolean): Promise<void> {
  const chosen_at = isWanted ? new Date().toISOString() : null
  await trx
    .insertInto('summary_choices')
    .values({ user_id: userId, chosen_at, link_key: randomBytes(32).toString('base64url') })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ chosen_at }))
    .execute()
}

/** Below `/api/`, where the policy of our pages lets forms post. */
export const UNSUBSCRIBE_PATH = '/api/resumo-semanal'

const PURPOSE = 'weekly-summary'

/** With the person and a signature: it lets its bearer end this person's summary, and nothing else. */
export function unsubscribeUrl(siteUrl: string, userId: string, linkKey: string): string {
  return `${siteUrl}${UNSUBSCRIBE_PATH}?codigo=${userId}.${keyedHash(linkKey, PURPOSE, userId)}`
}

const TOKEN = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.([\w-]{43})$/

/** The person whom a signed code names; null if it is not genuine. */
export async function readUnsubscribeCode(db: Db, code: string): Promise<string | null> {
  const [, userId, signature = ''] = TOKEN.exec(code) ?? []
  if (userId === undefined) return null
  const row = await db
    .selectFrom('summary_choices')
    .select('link_key')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (row === undefined) return null
  return isSameSecret(keyedHash(row.link_key, PURPOSE, userId), signature) ? userId : null
}
