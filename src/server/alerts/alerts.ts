import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { ALERT_KINDS, type AlertChoice } from '#contract/alerts.ts'
import { MINUTE_MS } from '#contract/durations.ts'
import { siteDate } from '#contract/site.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logging/logger.ts'
import { readBody, requestPerson } from '../http/security/administrators.ts'
import type { FileChange } from '../inventory/vendor-files.ts'
import { postDueAlerts, readChat } from './chat-alerts.ts'
import type { AlertMailDeps } from './emails.ts'
import { mailHeaderChanges } from './header-alerts.ts'
import { findAlerts, mailDueAlerts, noteAlerts, readRecipients, type Subscribers } from './pixel-alerts.ts'
import { mailWeeklySummary, readSummaryChoice, type SummaryPorts, storeSummaryChoice } from './summary.ts'
import { registerAlertWebhook, type WebhookDeps } from './webhook-routes.ts'

const choiceSchema = z.object({
  kinds: z.optional(z.array(z.enum(ALERT_KINDS))),
  weekly_summary: z.optional(z.boolean()),
})

/** Routes for one's alert settings, and the watch that sends alerts. */
export function registerAlerts(scope: FastifyInstance, deps: WatchDeps & Pick<WebhookDeps, 'client'>): void {
  const { db, canSend } = deps
  const watch = new AlertWatch(deps)
  const readChoice = async (userId: string): Promise<AlertChoice> => {
    const row = await db
      .selectFrom('alert_choices')
      .select('kinds')
      .where('user_id', '=', userId)
      .executeTakeFirst()
    const weekly_summary = await readSummaryChoice(db, userId)
    return { kinds: row?.kinds ?? [], weekly_summary, can_send: canSend }
  }
  /** Which alerts the caller gets by email, and whether the summary of the week. */
  scope.get('/admin/api/alerts', async (request): Promise<AlertChoice> => {
    return readChoice(requestPerson(request).userId)
  })

  /** Chooses them. Body: `{ kinds?, weekly_summary? }`; what is left out stays. */
  scope.put('/admin/api/alerts', async (request): Promise<AlertChoice> => {
    const { userId } = requestPerson(request)
    const { kinds, weekly_summary } = readBody(choiceSchema, request)
    if (kinds !== undefined) await watch.learn()
    await request.change(db, async (trx) => {
      if (kinds !== undefined) await storeChoice(trx, userId, [...new Set(kinds)])
      if (weekly_summary !== undefined) await storeSummaryChoice(trx, userId, weekly_summary)
    })
    return readChoice(userId)
  })
  registerAlertWebhook(scope, { ...deps, learn: () => watch.learn() })
  scope.addHook('onListen', async () => watch.start())
  scope.addHook('onClose', () => watch.stop())
}

async function storeChoice(trx: Db, userId: string, kinds: readonly string[]): Promise<void> {
  const columns = { kinds: JSON.stringify(kinds), changed_at: new Date().toISOString() }
  await trx
    .insertInto('alert_choices')
    .values({ user_id: userId, ...columns })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(columns))
    .execute()
}

const EVERY_MS = MINUTE_MS

const NOBODY: Subscribers = { people: [], chat: [] }

/** Health uses counts of a day: it does not change every second. */
const LOOKS_EVERY = 5

export interface WatchDeps extends AlertMailDeps {
  log: Pick<Logger, 'warn'>
  /** False without a mail server: then only a chat gets alerts. */
  canSend: boolean
  readOverview: () => Promise<TagOverview>
  /** Without it no summary of the week is sent. */
  summary?: SummaryPorts
  /** Recently changed vendors' files. */
  readFileChanges: () => Promise<readonly FileChange[]>
}

/** Checks the tags for subscribers and emails what is due, while the app runs. */
export class AlertWatch {
  readonly #deps: WatchDeps
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> = Promise.resolve()
  #rounds = 0
  /** The Monday that is done. */
  #summedUp: string | null = null

  constructor(deps: WatchDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.#round())
    }, EVERY_MS)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await this.#running
  }

  /** Before the first subscriber: takes the current state as known, so that only new events are reported. */
  async learn(now = Date.now()): Promise<void> {
    if ((await this.#subscribers(now)) === null) await this.#note(NOBODY, now)
  }

  /** Compares with the known state and stores what is new for its subscribers. */
  async look(now = Date.now()): Promise<void> {
    const subscribers = await this.#subscribers(now)
    if (subscribers === null) return
    await this.#note(subscribers, now)
    await mailHeaderChanges(this.#deps, now)
  }

  /** Null if nobody wants alerts, or nothing can be sent. */
  async #subscribers(now: number): Promise<Subscribers | null> {
    const { db, canSend } = this.#deps
    const people = canSend ? await readRecipients(db, now) : []
    const chat = (await readChat(db))?.kinds ?? []
    return people.length + chat.length === 0 ? null : { people, chat }
  }

  async #note(subscribers: Subscribers, now: number): Promise<void> {
    const [overview, changes] = await Promise.all([this.#deps.readOverview(), this.#deps.readFileChanges()])
    await noteAlerts(this.#deps.db, findAlerts(overview, changes), subscribers, now)
  }

  /** Passes due alerts to the outbox. */
  async mailDue(now = Date.now()): Promise<void> {
    if (this.#deps.canSend) await mailDueAlerts(this.#deps, now)
    await postDueAlerts(this.#deps, now)
  }

  /** Sends the summary of the week if it is time. */
  async mailSummary(now = Date.now()): Promise<void> {
    const { canSend, summary } = this.#deps
    if (!canSend || summary === undefined || this.#summedUp === siteDate(now)) return
    this.#summedUp = await mailWeeklySummary({ ...this.#deps, ...summary }, now)
  }

  async #round(): Promise<void> {
    try {
      if (this.#rounds++ % LOOKS_EVERY === 0) await this.look()
      await this.mailDue()
      await this.mailSummary()
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'alerts: check failed, will retry')
    }
  }
}
