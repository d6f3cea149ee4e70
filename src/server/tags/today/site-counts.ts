import type { Db } from '#server/db/database.ts'
import type { Logger } from '#server/http/logger.ts'
import { cappedSum } from '../capped-sum.ts'
import { KeptCounts } from '../kept-counts.ts'
import type { CountSubject } from './count-subject.ts'

/** Every day of the site begins with one. */
export const SLOT_MS = 600_000
const MAX_KEPT = 10_000

interface SlotCount {
  slot: string
  subject: CountSubject
  count: number
}

/** Adds up what the whole site is asked about, as the counts of reports are. */
export class SiteCounts {
  readonly #kept: KeptCounts<SlotCount>

  constructor(db: Db, log: Pick<Logger, 'warn'>, flushMs?: number) {
    this.#kept = new KeptCounts({
      what: 'counts of the site',
      most: MAX_KEPT,
      keyOf: ({ slot, subject }) => `${slot} ${subject}`,
      add: (kept, { count }) => {
        kept.count += count
      },
      write: (rows) => writeCounts(db, rows),
      log,
      flushMs,
    })
  }

  /** Less than none takes back what was counted at that time. */
  add(subject: CountSubject, at = Date.now(), count = 1): void {
    this.#kept.add({ slot: new Date(Math.floor(at / SLOT_MS) * SLOT_MS).toISOString(), subject, count })
  }

  flush(): Promise<void> {
    return this.#kept.flush()
  }

  stop(): Promise<void> {
    return this.#kept.stop()
  }
}

async function writeCounts(db: Db, rows: readonly SlotCount[]): Promise<void> {
  await db
    .insertInto('site_counts')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['slot', 'subject']).doUpdateSet({ count: cappedSum('site_counts', 'count') }),
    )
    .execute()
}
