import type { Db } from '#server/db/database.ts'
import type { StatsTables } from '#server/db/schema/stats.ts'
import type { Logger } from '#server/http/logging/logger.ts'
import { Buffered } from '#server/stats/buffered.ts'
import { shardOf } from '#server/stats/counts.ts'

/** While nothing can be written, at most this many pixels wait in memory. */
const MAX_PENDING = 10_000

type Row = StatsTables['tag_last_seen']

/** Remembers when each tag last ran and its last error; written like counts. */
export class LastSeen {
  readonly #shard: number
  readonly #buffer: Buffered<Row>

  constructor(db: Db, log: Pick<Logger, 'warn'>, flushMs?: number) {
    this.#shard = shardOf(db)
    this.#buffer = new Buffered({
      what: 'last runs of tags',
      keyOf: ({ pixel_id }) => pixel_id,
      groupOf: () => '',
      maxPending: () => MAX_PENDING,
      merge: (pending, more) => Object.assign(pending, withoutNulls(more)),
      write: (rows) => writeRows(db, rows),
      log,
      flushMs,
    })
  }

  /** One visit that was offered the tag. */
  add(pixelId: string, { ran, error }: { ran: boolean; error: string | null }, now = Date.now()): void {
    const at = new Date(now).toISOString()
    this.#buffer.add({
      pixel_id: pixelId,
      shard: this.#shard,
      last_ran_at: ran ? at : null,
      last_error_at: error === null ? null : at,
      last_error: error,
    })
  }

  flush(): Promise<void> {
    return this.#buffer.flush()
  }

  stop(): Promise<void> {
    return this.#buffer.stop()
  }
}

/** The newest of all processes, for every tag that was ever reported. */
export async function readLastSeen(
  db: Db,
): Promise<ReadonlyMap<string, Pick<Row, 'last_ran_at' | 'last_error_at' | 'last_error'>>> {
  const rows = await db.selectFrom('tag_last_seen').selectAll().execute()
  const seen = new Map<string, Pick<Row, 'last_ran_at' | 'last_error_at' | 'last_error'>>()
  for (const { pixel_id, last_ran_at, last_error_at, last_error } of rows) {
    const known = seen.get(pixel_id)
    const isNewerRun = (last_ran_at ?? '') > (known?.last_ran_at ?? '')
    const isNewerError = (last_error_at ?? '') > (known?.last_error_at ?? '')
    seen.set(pixel_id, {
      last_ran_at: isNewerRun ? last_ran_at : (known?.last_ran_at ?? null),
      last_error_at: isNewerError ? last_error_at : (known?.last_error_at ?? null),
      last_error: isNewerError ? last_error : (known?.last_error ?? null),
    })
  }
  return seen
}

/** Every tag that was ever reported, as the subjects of its counts. */
export function reportedTags(db: Db) {
  return db
    .selectFrom('tag_last_seen')
    .select(({ cast, ref }) => cast<string>(ref('tag_last_seen.pixel_id'), 'text').as('id'))
    .$asScalar()
}

function withoutNulls(row: Row): Partial<Row> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
}

async function writeRows(db: Db, batch: readonly Row[]): Promise<void> {
  // A row of a pixel that was deleted meanwhile would fail the whole write.
  const ids = batch.map(({ pixel_id }) => pixel_id)
  const found = await db.selectFrom('tracking_pixels').select('id').where('id', 'in', ids).execute()
  const known = new Set(found.map(({ id }) => id))
  const rows = batch.filter(({ pixel_id }) => known.has(pixel_id))
  if (rows.length === 0) return
  await db
    .insertInto('tag_last_seen')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['pixel_id', 'shard']).doUpdateSet((eb) => ({
        last_ran_at: eb.fn.coalesce('excluded.last_ran_at', 'tag_last_seen.last_ran_at'),
        last_error_at: eb.fn.coalesce('excluded.last_error_at', 'tag_last_seen.last_error_at'),
        last_error: eb.fn.coalesce('excluded.last_error', 'tag_last_seen.last_error'),
      })),
    )
    .execute()
}
