import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Logger } from '../../http/logger.ts'
import { RegularFlush } from '../../http/regular-flush.ts'

const HOUR_MS = 3_600_000
/** Reports can be forged, and the column is an integer: a count stops here. */
const MAX_COUNT = 1_000_000_000
/** While nothing can be written, this many are kept in memory, and no more. */
const MAX_KEPT = 20_000
/** Six parameters each: below what either engine takes in one statement. */
const ROWS_PER_STATEMENT = 1_000

interface Evidence {
  pixel_id: string
  hour: string
  revision: string
  subject: string
  verdict: string
  count: number
}

/** Adds up what visits showed and writes it once a second, like the other counts of reports, and as little durable. */
export class EvidenceBuffer {
  readonly #db: Db
  readonly #flush: RegularFlush
  #kept = new Map<string, Evidence>()

  constructor(db: Db, log: Pick<Logger, 'warn'>) {
    this.#db = db
    this.#flush = new RegularFlush({ what: 'evidence of tags', write: () => this.#write(), log })
  }

  add(pixelId: string, revision: string, subject: string, verdict: string, now = Date.now()): void {
    const hour = new Date(Math.floor(now / HOUR_MS) * HOUR_MS).toISOString()
    this.#merge({ pixel_id: pixelId, hour, revision, subject, verdict, count: 1 })
  }

  flush(): Promise<void> {
    return this.#flush.now()
  }

  stop(): Promise<void> {
    return this.#flush.stop()
  }

  #merge(more: Evidence): void {
    const key = `${more.pixel_id} ${more.hour} ${more.revision} ${more.subject} ${more.verdict}`
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
        await writeEvidence(this.#db, rows)
      } catch (error) {
        for (const row of rows) this.#merge(row)
        throw error
      }
    }
  }
}

async function writeEvidence(db: Db, batch: readonly Evidence[]): Promise<void> {
  // Evidence of a pixel deleted since would fail the whole write.
  const ids = [...new Set(batch.map(({ pixel_id }) => pixel_id))]
  const known = new Set(
    (await db.selectFrom('tracking_pixels').select('id').where('id', 'in', ids).execute()).map(
      ({ id }) => id,
    ),
  )
  const rows = batch.filter(({ pixel_id }) => known.has(pixel_id))
  if (rows.length === 0) return
  const sum = sql<number>`tag_evidence.count + excluded.count`
  await db
    .insertInto('tag_evidence')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['pixel_id', 'hour', 'revision', 'subject', 'verdict']).doUpdateSet({
        count: sql<number>`case when ${sum} > ${sql.lit(MAX_COUNT)} then ${sql.lit(MAX_COUNT)} else ${sum} end`,
      }),
    )
    .execute()
}
