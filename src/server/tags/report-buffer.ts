import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logger.ts'
import { cappedSum } from './capped-sum.ts'
import { ofExistingPixels } from './existing-pixels.ts'
import { KeptCounts } from './kept-counts.ts'
import type { LedgerColumn } from './ledger/choose-column.ts'

const HOUR_MS = 3_600_000
/** Pixels and hours. */
const MAX_KEPT = 10_000

interface Counts {
  pixel_id: string
  hour: string
  ran: number
  blocked: number
  failed: number
  not_consented: number
  last_ran_at: string | null
  last_error: string | null
}

/** Adds reports of visits up, by pixel and hour. */
export class ReportBuffer {
  readonly #kept: KeptCounts<Counts>

  constructor(db: Db, log: Pick<Logger, 'warn'>, flushMs?: number) {
    this.#kept = new KeptCounts({
      what: 'tag reports',
      most: MAX_KEPT,
      keyOf: ({ pixel_id, hour }) => `${pixel_id} ${hour}`,
      add: addCounts,
      write: (rows) => writeCounts(db, rows),
      log,
      flushMs,
    })
  }

  /** One visit that ran the tag. */
  add(pixelId: string, column: LedgerColumn, error: string | null, now = Date.now()): void {
    this.#kept.add({
      ...noCounts(pixelId, now),
      [column]: 1,
      last_ran_at: column === 'ran' ? new Date(now).toISOString() : null,
      last_error: error,
    })
  }

  /** Visits in which it was refused; less than none where they were counted before and the visitor has granted it since. */
  addRefusals(pixelId: string, at: string, visits: number): void {
    this.#kept.add({ ...noCounts(pixelId, Date.parse(at)), not_consented: visits })
  }

  flush(): Promise<void> {
    return this.#kept.flush()
  }

  stop(): Promise<void> {
    return this.#kept.stop()
  }
}

function addCounts(kept: Counts, more: Counts): void {
  kept.ran += more.ran
  kept.blocked += more.blocked
  kept.failed += more.failed
  kept.not_consented += more.not_consented
  kept.last_ran_at = more.last_ran_at ?? kept.last_ran_at
  kept.last_error = more.last_error ?? kept.last_error
}

function noCounts(pixelId: string, time: number): Counts {
  return {
    pixel_id: pixelId,
    hour: new Date(Math.floor(time / HOUR_MS) * HOUR_MS).toISOString(),
    ran: 0,
    blocked: 0,
    failed: 0,
    not_consented: 0,
    last_ran_at: null,
    last_error: null,
  }
}

async function writeCounts(db: Db, batch: readonly Counts[]): Promise<void> {
  const rows = await ofExistingPixels(db, batch)
  if (rows.length === 0) return
  const added = (column: LedgerColumn | 'not_consented') => cappedSum('tag_reports', column)
  await db
    .insertInto('tag_reports')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['pixel_id', 'hour']).doUpdateSet({
        ran: added('ran'),
        blocked: added('blocked'),
        failed: added('failed'),
        // Null in an hour that was counted in part: it is not told.
        not_consented: added('not_consented'),
        last_ran_at: sql`coalesce(excluded.last_ran_at, tag_reports.last_ran_at)`,
        last_error: sql`coalesce(excluded.last_error, tag_reports.last_error)`,
      }),
    )
    .execute()
}
