import { sql } from 'kysely'
import type { TagOutcome } from '#contract/tag-report.ts'
import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logger.ts'

const FLUSH_MS = 1_000
const HOUR_MS = 3_600_000
/** Reports can be forged, and the column is an integer: a count stops here. */
const MAX_COUNT = 1_000_000_000

interface Counts {
  pixel_id: string
  hour: string
  ran: number
  blocked: number
  failed: number
  last_ran_at: string | null
  last_error: string | null
}

/** Adds reports up in memory and writes them once a second: a visit with 200 tags is one write, not 200. */
export class ReportBuffer {
  readonly #db: Db
  readonly #log: Logger
  readonly #timer: NodeJS.Timeout
  #counts = new Map<string, Counts>()
  #flushing: Promise<void> = Promise.resolve()

  constructor(db: Db, log: Logger) {
    this.#db = db
    this.#log = log
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS)
    this.#timer.unref()
  }

  add(pixelId: string, outcome: TagOutcome, error: string | null, now = Date.now()): void {
    const hour = new Date(Math.floor(now / HOUR_MS) * HOUR_MS).toISOString()
    const key = `${pixelId} ${hour}`
    const counts = this.#counts.get(key) ?? {
      pixel_id: pixelId,
      hour,
      ran: 0,
      blocked: 0,
      failed: 0,
      last_ran_at: null,
      last_error: null,
    }
    counts[outcome]++
    if (outcome === 'ran') counts.last_ran_at = new Date(now).toISOString()
    if (error !== null) counts.last_error = error
    this.#counts.set(key, counts)
  }

  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#write())
    return this.#flushing
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  async #write(): Promise<void> {
    if (this.#counts.size === 0) return
    const batch = [...this.#counts.values()]
    this.#counts = new Map()
    try {
      await writeCounts(this.#db, batch)
    } catch (error) {
      this.#log.warn({ err: error, reports: batch.length }, 'tag reports could not be stored')
    }
  }
}

async function writeCounts(db: Db, batch: readonly Counts[]): Promise<void> {
  // A pixel deleted since is no longer worth counting, and would fail the whole write.
  const ids = [...new Set(batch.map((counts) => counts.pixel_id))]
  const known = await db.selectFrom('tracking_pixels').select('id').where('id', 'in', ids).execute()
  const rows = batch.filter((counts) => known.some(({ id }) => id === counts.pixel_id))
  if (rows.length === 0) return
  const added = (column: 'ran' | 'blocked' | 'failed') => {
    const sum = sql<number>`${sql.ref(`tag_reports.${column}`)} + ${sql.ref(`excluded.${column}`)}`
    return sql<number>`case when ${sum} > ${sql.lit(MAX_COUNT)} then ${sql.lit(MAX_COUNT)} else ${sum} end`
  }
  await db
    .insertInto('tag_reports')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['pixel_id', 'hour']).doUpdateSet({
        ran: added('ran'),
        blocked: added('blocked'),
        failed: added('failed'),
        last_ran_at: sql`coalesce(excluded.last_ran_at, tag_reports.last_ran_at)`,
        last_error: sql`coalesce(excluded.last_error, tag_reports.last_error)`,
      }),
    )
    .execute()
}
