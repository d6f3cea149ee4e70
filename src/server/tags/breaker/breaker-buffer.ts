import { sql } from 'kysely'
import type { Db } from '#server/db/database.ts'
import type { Logger } from '#server/http/logger.ts'
import { RegularFlush } from '#server/http/regular-flush.ts'
import { BREAKER_RULES, type BreakerReason, isTooDear, type WindowCounts } from './breaker-rule.ts'

const MINUTE_MS = 60_000
/** While nothing can be written, this many are kept in memory, and no more. */
const MAX_KEPT = 5_000
/** Seven parameters each. */
const ROWS_PER_STATEMENT = 1_000

interface Counts {
  visits: number
  failed: number
  measured: number
  slow: number
}

interface Minute extends Counts {
  pixel_id: string
  revision: string
  minute: string
}

const COLUMNS = ['visits', 'failed', 'measured', 'slow'] as const satisfies (keyof Counts)[]
/** Which columns each reason is judged by: all visits, and those that speak against the tag. */
const JUDGED_BY = {
  failing: ['visits', 'failed'],
  slow: ['measured', 'slow'],
} as const satisfies Record<BreakerReason, readonly [keyof Counts, keyof Counts]>
const REASONS = Object.keys(JUDGED_BY) as BreakerReason[]

/** A tag that too many visits of the window speak against, whichever process heard of them. */
export interface Failing extends WindowCounts {
  pixelId: string
  revision: string
  reason: BreakerReason
}

interface BreakerBufferDeps {
  db: Db
  flushMs?: number | undefined
  log: Pick<Logger, 'warn'>
  /** Called after each write that could have made a tag fail too often, by every process that wrote one. */
  onFailing: (failing: Failing) => Promise<void>
}

/** Counts the visits of each tag by minute, writes them once a second, and looks back at those that speak against one. */
export class BreakerBuffer {
  readonly #deps: BreakerBufferDeps
  readonly #flush: RegularFlush
  #kept = new Map<string, Minute>()

  constructor(deps: BreakerBufferDeps) {
    this.#deps = deps
    this.#flush = new RegularFlush({
      what: 'minutes of tags',
      write: () => this.#write(),
      log: deps.log,
      everyMs: deps.flushMs,
    })
  }

  add(pixelId: string, revision: string, failed: boolean, now = Date.now()): void {
    this.#count(pixelId, revision, { visits: 1, failed: failed ? 1 : 0, measured: 0, slow: 0 }, now)
  }

  /** A visit that measured what the tag cost it. */
  addCost(pixelId: string, revision: string, ms: number, now = Date.now()): void {
    this.#count(pixelId, revision, { visits: 0, failed: 0, measured: 1, slow: isTooDear(ms) ? 1 : 0 }, now)
  }

  flush(): Promise<void> {
    return this.#flush.now()
  }

  stop(): Promise<void> {
    return this.#flush.stop()
  }

  #count(pixelId: string, revision: string, counts: Counts, now: number): void {
    const minute = new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS).toISOString()
    this.#merge({ pixel_id: pixelId, revision, minute, ...counts })
  }

  #merge(more: Minute): void {
    const key = `${more.pixel_id} ${more.revision} ${more.minute}`
    const known = this.#kept.get(key)
    if (known === undefined) {
      if (this.#kept.size < MAX_KEPT) this.#kept.set(key, more)
      return
    }
    for (const column of COLUMNS) known[column] += more[column]
  }

  async #write(): Promise<void> {
    const { db } = this.#deps
    // Sorted: two replicas that lock the same rows in different orders would wait for each other.
    const keys = [...this.#kept.keys()].sort()
    for (let from = 0; from < keys.length; from += ROWS_PER_STATEMENT) {
      const some = keys.slice(from, from + ROWS_PER_STATEMENT)
      const rows = some.flatMap((key) => this.#kept.get(key) ?? [])
      for (const key of some) this.#kept.delete(key)
      try {
        await writeMinutes(db, rows)
      } catch (error) {
        for (const row of rows) this.#merge(row)
        throw error
      }
      for (const reason of REASONS) await this.#judge(rows, reason)
    }
  }

  async #judge(written: readonly Minute[], reason: BreakerReason): Promise<void> {
    const { db, onFailing, log } = this.#deps
    const [, against] = JUDGED_BY[reason]
    const suspects = new Map(
      written
        .filter((row) => row[against] > 0)
        .map((row) => [`${row.pixel_id} ${row.revision}`, { pixelId: row.pixel_id, revision: row.revision }]),
    )
    for (const suspect of suspects.values()) {
      try {
        const counts = await readWindow(db, suspect, reason)
        if (BREAKER_RULES[reason].isBroken(counts)) await onFailing({ ...suspect, reason, ...counts })
      } catch (error) {
        // The counts are stored: the next visit that fails has them looked at again.
        log.warn({ err: error }, 'a tag that fails could not be looked at')
      }
    }
  }
}

async function writeMinutes(db: Db, batch: readonly Minute[]): Promise<void> {
  const ids = [...new Set(batch.map(({ pixel_id }) => pixel_id))]
  const found = await db.selectFrom('tracking_pixels').select('id').where('id', 'in', ids).execute()
  const known = new Set(found.map(({ id }) => id))
  const rows = batch.filter(({ pixel_id }) => known.has(pixel_id))
  if (rows.length === 0) return
  await db
    .insertInto('tag_minutes')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['pixel_id', 'revision', 'minute']).doUpdateSet({
        visits: sql<number>`tag_minutes.visits + excluded.visits`,
        failed: sql<number>`tag_minutes.failed + excluded.failed`,
        measured: sql<number>`tag_minutes.measured + excluded.measured`,
        slow: sql<number>`tag_minutes.slow + excluded.slow`,
      }),
    )
    .execute()
}

async function readWindow(
  db: Db,
  { pixelId, revision }: Pick<Failing, 'pixelId' | 'revision'>,
  reason: BreakerReason,
  now = Date.now(),
): Promise<WindowCounts> {
  const [all, against] = JUDGED_BY[reason]
  const sums = await db
    .selectFrom('tag_minutes')
    .select((eb) => [
      eb.fn.sum<number | string | null>(all).as('visits'),
      eb.fn.sum<number | string | null>(against).as('failed'),
    ])
    .where('pixel_id', '=', pixelId)
    .where('revision', '=', revision)
    .where('minute', '>', new Date(now - BREAKER_RULES[reason].windowMs).toISOString())
    .executeTakeFirstOrThrow()
  return { visits: Number(sums.visits ?? 0), failed: Number(sums.failed ?? 0) }
}
