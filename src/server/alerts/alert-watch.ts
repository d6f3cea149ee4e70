import type { TagOverview } from '#contract/tag-status.ts'
import { type Alert, type FileChange, findAlerts } from './find-alerts.ts'
import { noteAlerts, readRecipients } from './note-alerts.ts'
import { type SendDeps, sendAlerts } from './send-alerts.ts'
import { type HeaderChangesDeps, tellHeaderChanges } from './tell-header-changes.ts'

const EVERY_MS = 60_000
/** Health is judged from counts of a day: it does not change by the second. */
const LOOKS_EVERY = 5

export interface WatchDeps extends SendDeps, Pick<HeaderChangesDeps, 'queueLetter'> {
  /** False where no mail server is configured: then nothing is watched. */
  canSend: boolean
  readOverview: () => Promise<TagOverview>
  /** Vendors' files that were found changed lately. */
  readFileChanges: () => Promise<readonly FileChange[]>
}

/** Looks at the tags for those who want to be told, and sends what is owed, for as long as the app runs. */
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

  /** Compares, and owes mails. */
  async look(now = Date.now()): Promise<void> {
    const recipients = await readRecipients(this.#deps.db, now)
    if (recipients.length === 0) return
    await noteAlerts(this.#deps.db, await this.#find(), recipients, now)
    await tellHeaderChanges(this.#deps, now)
  }

  async #find(): Promise<Alert[]> {
    const [overview, changes] = await Promise.all([this.#deps.readOverview(), this.#deps.readFileChanges()])
    return findAlerts(overview, changes)
  }

  async send(now = Date.now()): Promise<void> {
    await sendAlerts(this.#deps, now)
  }

  async #round(): Promise<void> {
    try {
      if (this.#rounds++ % LOOKS_EVERY === 0) await this.look()
      await this.send()
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'alerts could not be looked after for a moment')
    }
  }
}
