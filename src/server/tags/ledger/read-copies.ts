import { sql } from 'kysely'
import type { DeliveryState } from '#contract/conversions.ts'
import { engineOf } from '#server/db/column-types.ts'
import type { Db } from '#server/db/database.ts'

interface CopyCount {
  /** The hour in which the events happened. */
  at: string
  state: DeliveryState
  count: number
}

/** What became of the server's copies, settled or waiting: one statement, so that each event is in one place. */
export async function readCopies(
  db: Db,
  pixelId: string,
  { from, to }: { from: string; to: string },
): Promise<CopyCount[]> {
  const hour =
    engineOf(db) === 'sqlite'
      ? sql<string>`substr(created_at, 1, 13) || ':00:00.000Z'`
      : sql<string>`date_trunc('hour', created_at, 'UTC')`
  const rows = await db
    .selectFrom('delivery_counts')
    .select(['hour as at', 'state'])
    .select((eb) => eb.fn.sum('count').as('count'))
    .where('pixel_id', '=', pixelId)
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .groupBy(['hour', 'state'])
    .unionAll(
      db
        .selectFrom('deliveries')
        .select([hour.as('at'), sql<'accepted'>`'waiting'`.as('state')])
        .select((eb) => eb.fn.countAll().as('count'))
        .where('pixel_id', '=', pixelId)
        .where('created_at', '>=', from)
        .where('created_at', '<', to)
        .groupBy(hour),
    )
    .execute()
  return rows.map(({ at, state, count }) => ({ at, state, count: Number(count) }))
}
