import type { Db } from '#server/db/database.ts'
import type { Logger } from '#server/http/logger.ts'
import { cappedSum } from '../capped-sum.ts'
import { ofExistingPixels } from '../existing-pixels.ts'
import { KeptCounts } from '../kept-counts.ts'

const HOUR_MS = 3_600_000
const MAX_KEPT = 20_000

interface Evidence {
  pixel_id: string
  hour: string
  revision: string
  subject: string
  verdict: string
  count: number
}

/** Adds up what visits showed, as the other counts of reports are. */
export class EvidenceBuffer {
  readonly #kept: KeptCounts<Evidence>

  constructor(db: Db, log: Pick<Logger, 'warn'>, flushMs?: number) {
    this.#kept = new KeptCounts({
      what: 'evidence of tags',
      most: MAX_KEPT,
      keyOf: ({ pixel_id, hour, revision, subject, verdict }) =>
        `${pixel_id} ${hour} ${revision} ${subject} ${verdict}`,
      add: (kept, { count }) => {
        kept.count += count
      },
      write: (rows) => writeEvidence(db, rows),
      log,
      flushMs,
    })
  }

  add(pixelId: string, revision: string, subject: string, verdict: string, now = Date.now()): void {
    const hour = new Date(Math.floor(now / HOUR_MS) * HOUR_MS).toISOString()
    this.#kept.add({ pixel_id: pixelId, hour, revision, subject, verdict, count: 1 })
  }

  flush(): Promise<void> {
    return this.#kept.flush()
  }

  stop(): Promise<void> {
    return this.#kept.stop()
  }
}

async function writeEvidence(db: Db, batch: readonly Evidence[]): Promise<void> {
  const rows = await ofExistingPixels(db, batch)
  if (rows.length === 0) return
  await db
    .insertInto('tag_evidence')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['pixel_id', 'hour', 'revision', 'subject', 'verdict'])
        .doUpdateSet({ count: cappedSum('tag_evidence', 'count') }),
    )
    .execute()
}
