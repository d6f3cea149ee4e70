import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { ALERT_KINDS, type AlertChoice } from '#contract/alerts.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logging/logger.ts'
import { readBody, requestPerson } from '../http/security/administrators.ts'
import type { AlertMailDeps } from './emails.ts'
import { mailHeaderChanges } from './header-alerts.ts'
import {
  type Alert,
  type FileChange,
  findAlerts,
  mailDueAlerts,
  noteAlerts,
  readRecipients,
} from './pixel-alerts.ts'

const choiceSchema = z.object({ kinds: z.array(z.enum(ALERT_KINDS)) })

/** Which alerts each administrator gets by mail, and the watch that writes them. */
export function registerAlerts(scope: FastifyInstance, deps: WatchDeps): void {
  const { db, canSend } = deps
  const watch = new AlertWatch(deps)
  scope.get('/admin/api/alerts', async (request): Promise<AlertChoice> => {
    const { userId } = requestPerson(request)
    const row = await db
      .selectFrom('alert_choices')
      .select('kinds')
      .where('user_id', '=', userId)
      .executeTakeFirst()
    return { kinds: row?.kinds ?? [], can_send: canSend }
  })

  scope.put('/admin/api/alerts', async (request): Promise<AlertChoice> => {
    const { userId } = requestPerson(request)
    const kinds = [...new Set(readBody(choiceSchema, request).kinds)]
    if ((await readRecipients(db, Date.now())).length === 0) await watch.learn()
    await storeChoice(db, userId, kinds)
    return { kinds, can_send: canSend }
  })
  scope.addHook('onListen', async () => watch.start())
  scope.addHook('onClose', () => watch.stop())
}

async function storeChoice(db: Db, userId: string, kinds: readonly string[]): Promise<void> {
  const columns = { kinds: JSON.stringify(kinds), changed_at: new Date().toISOString() }
  await db
    .insertInto('alert_choices')
    .values({ user_id: userId, ...columns })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(columns))
    .execute()
}

const EVERY_MS = 60_000

/** Health is judged from counts of a day: it does not change by the second. */
const LOOKS_EVERY = 5

export interface WatchDeps extends AlertMailDeps {
  log: Pick<Logger, 'warn'>
  /** False where no mail server is configured: then nothing is watched. */
  canSend: boolean
  readOverview: () => Promise<TagOverview>
  /** Vendors' files that were found changed lately. */
  readFileChanges: () => Promise<readonly FileChange[]>
}

/** Looks at the tags for those who chose alerts, and mails them what is due, for as long as the app runs. */
export class AlertWatch {
  readonly #deps: WatchDeps
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> = Promise.resolve()
  #rounds = 0

  constructor(deps: WatchDeps) {
    this.#deps = deps
  }

  start(): void {
    if (!this.#deps.canSend) return
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.#round())
    }, EVERY_MS)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await this.#running
  }

  /** Takes what is so now for known: who begins to listen hears of what comes, not of all that there is. */
  async learn(now = Date.now()): Promise<void> {
    await noteAlerts(this.#deps.db, await this.#find(), [], now)
  }

  /** Compares with what was known, and notes what is new for those who chose it. */
  async look(now = Date.now()): Promise<void> {
    const recipients = await readRecipients(this.#deps.db, now)
    if (recipients.length === 0) return
    await noteAlerts(this.#deps.db, await this.#find(), recipients, now)
    await mailHeaderChanges(this.#deps, now)
  }

  async #find(): Promise<Alert[]> {
    const [overview, changes] = await Promise.all([this.#deps.readOverview(), this.#deps.readFileChanges()])
    return findAlerts(overview, changes)
  }

  /** Hands what is due to the outbox. */
  async mailDue(now = Date.now()): Promise<void> {
    await mailDueAlerts(this.#deps, now)
  }

  async #round(): Promise<void> {
    try {
      if (this.#rounds++ % LOOKS_EVERY === 0) await this.look()
      await this.mailDue()
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'alerts could not be looked after for a moment')
    }
  }
}
