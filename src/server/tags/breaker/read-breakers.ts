import type { Db } from '#server/db/database.ts'
import type { BreakerReason } from './breaker-rule.ts'

/** What visits made of a tag, as it is told beside its health. */
export interface Breaker {
  state: 'paused' | 'warned'
  reason: BreakerReason
  visits: number
  failed: number
  tripped_at: string
}

const DAY_MS = 86_400_000

/** By pixel. A warning is of one revision, and for a day; a pause is for as long as nobody takes it back. */
export async function readBreakers(
  db: Db,
  revisions: ReadonlyMap<string, string>,
  now = Date.now(),
): Promise<ReadonlyMap<string, Breaker>> {
  const rows = await db.selectFrom('tag_breakers').selectAll().execute()
  return new Map(
    rows
      .filter(
        ({ pixel_id, state, revision, tripped_at }) =>
          state === 'paused' ||
          (revisions.get(pixel_id) === revision && Date.parse(tripped_at) > now - DAY_MS),
      )
      .map(({ pixel_id, revision: _revision, ...breaker }) => [pixel_id, breaker]),
  )
}
