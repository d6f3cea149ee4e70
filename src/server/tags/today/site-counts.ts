import { sql } from 'kysely'
import type { Db } from '#server/db/database.ts'
import type { Logger } from '#server/http/logger.ts'
import { RegularFlush } from '#server/http/regular-flush.ts'
import type { CountSubject } from './count-subject.ts'

/** Every day of the site begins with one. */
export const SLOT_MS = 600_000
/** Reports can be forged, and the column is an integer: a count stops here. */
const MAX_COUNT = 1_000_000_000
/** While nothing can be written, this many are kept in memory, and no more. */
const MAX_KEPT = 10_000
/** Three parameters each: below what either engine takes in one statement. */
const ROWS_PER_STATEMENT = 1_000

interface SlotCount {
  slot: string
  subject: CountSubject
  count: number
}

/** Adds up what the whole site is asked about, and writes it once a second, as the other counts are, and as little durable. */
export class SiteCounts {
  readonly #db: Db
  readonly #flush: RegularFlush
  #kept = new Map<string, SlotCount>()

  constructor(db: Db, log: Pick<Logger, 'warn'>) {
    this.#db = db
    this.#flush = new RegularFlush({ what: 'counts of the site', write: () => this.#write(), log })
  }

  /** Less than none takes back what was counted at that time. */
  add(subject: CountSubject, at = Date.now(), count = 1): void {
    this.#merge({ slot: new Date(Math.floor(at / SLOT_MS) * SLOT_MS).toISOString(), subject, count })
  }

  flush(): Promise<void> {
    return this.#flush.now()
  }

  stop(): Promise<void> {
    return this.#flush.stop()
  }

  #merge(more: SlotCount): void {
    const key = `${more.slot} ${more.subject}`
    const known = this.#kept.get(key)
    if (known !== undefined) known.count += more.count
    else if (this.#kept.size < MAX_KEPT) this.#kept.set(key, more)
  }

  async #write(): Promise<void> {
    // Sorted: two replicas that lock the same rows in different orders would wait for each other.
    const keys = [...this.#kept.keys()].sort()
    for (let from = 0; from < keys.length; from += ROWS_PER_STATEMENT) {
      const some = keys.slice(from, from + ROWS_PER_STATEMENT)
      const rows = some.flatMap((key) => this.#kept.get(key) ?? [])
      for (const key of some) this.#kept.delete(key)
      try {
        await writeCounts(this.#db, rows)
      } catch (error) {
        for (const row of rows) this.#merge(row)
        throw error
      }
    }
  }
}

async function writeCounts(db: Db, rows: readonly SlotCount[]): Promise<void> {
  const sum = sql<number>`site_counts.count + excluded.count`
  await db
    .insertInto('site_counts')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['slot', 'subject']).doUpdateSet({
        count: sql<number>`case when ${sum} > ${sql.lit(MAX_COUNT)} then ${sql.lit(MAX_COUNT)} else ${sum} end`,
      }),
    )
    .execute()
}
