import type { Conversion } from '#contract/conversions.ts'
import type { Db } from '../db/database.ts'
import type { Storable } from '../http/limits/limits.ts'
import type { Logger } from '../http/logging/logger.ts'
import { cappedSum, KeptCounts } from './kept-counts.ts'

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

/** What one visit chose: everything, nothing, or something between. */
export const CHOICES = ['accepted', 'partial', 'refused'] as const

export type Choice = (typeof CHOICES)[number]

/** All tags of a visit together, and what is not one tag's for certain; followed by a step of `cost/cost-step.ts`. */
export const COST_SUM_SUBJECT = 'cost:sum:'

export const COST_REST_SUBJECT = 'cost:rest:'

/** Followed by what could not be stored. */
export const CEILING_SUBJECT = 'ceiling:'

/** What is counted of the whole site. `told` are visits that ran a tag which tells of conversions. */
export type CountSubject =
  | `choice:${Choice}`
  | `conversion:${Conversion}`
  | 'told'
  /** Turned away by an hourly ceiling. */
  | `${typeof CEILING_SUBJECT}${Storable}`
  | `${typeof COST_SUM_SUBJECT | typeof COST_REST_SUBJECT}${number}`
