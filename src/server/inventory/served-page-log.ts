import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logger.ts'
import { noteServedPage } from './note-served-page.ts'
import { type NotedTags, revisionsOf, type ServedPage } from './served-page.ts'

/** Notes what the public page is served with. A page that cannot be noted is served all the same, and noted with the next. */
export class ServedPageLog {
  readonly #db: Db
  readonly #log: Pick<Logger, 'warn'>
  #toolsSince: string | null = null
  #noted: NotedTags | null = null

  constructor(db: Db, log: Pick<Logger, 'warn'>) {
    this.#db = db
    this.#log = log
  }

  /** Gives the time since which the list of tools is as it is. */
  async note(page: ServedPage): Promise<string> {
    try {
      this.#toolsSince = await noteServedPage(this.#db, page, new Date(), this.#noted)
      this.#noted = { tagsVersion: page.tagsVersion, revisions: revisionsOf(page.tags) }
    } catch (error) {
      this.#log.warn({ err: error }, 'what the page is served with could not be noted')
    }
    return this.#toolsSince ?? new Date().toISOString()
  }
}
