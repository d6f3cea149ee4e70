import type { Db } from '../db/database.ts'
import { PIXEL_KINDS } from './read-target.ts'

export interface WaitingDeliveries {
  kind: string
  waiting: number
  /** When the one that has waited longest was stored. */
  oldestAt: string | null
}

/** How much waits of each kind, and since when: pixel by pixel, because that is how the queue is found. */
export async function measureDeliveries(db: Db): Promise<WaitingDeliveries[]> {
  const pixels = await db
    .selectFrom('tracking_pixels as pixel')
    .select('pixel.type')
    .select((eb) => [
      eb
        .selectFrom('deliveries')
        .select((of) => of.fn.countAll<number>().as('count'))
        .whereRef('deliveries.pixel_id', '=', 'pixel.id')
        .as('waiting'),
      eb
        .selectFrom('deliveries')
        .select((of) => of.fn.min('deliveries.created_at').as('at'))
        .whereRef('deliveries.pixel_id', '=', 'pixel.id')
        .as('oldestAt'),
    ])
    .where((eb) => eb.or([eb('pixel.has_access_token', '=', true), eb('pixel.delivery', '<>', 'browser')]))
    .execute()
  const measured = pixels.flatMap(({ type, waiting, oldestAt }) => {
    const kind = PIXEL_KINDS[type]
    return kind === undefined ? [] : [{ kind: kind as string, waiting: Number(waiting), oldestAt }]
  })
  for (const kind of ['newsletter', 'mail'] as const) {
    const { count, oldest } = await db
      .selectFrom('deliveries')
      .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('created_at').as('oldest')])
      .where('pixel_id', 'is', null)
      .where('kind', '=', kind)
      .executeTakeFirstOrThrow()
    measured.push({ kind, waiting: Number(count), oldestAt: oldest })
  }
  return [...Map.groupBy(measured, ({ kind }) => kind)].map(([kind, rows]) => ({
    kind,
    waiting: rows.reduce((sum, { waiting }) => sum + waiting, 0),
    oldestAt: rows.flatMap(({ oldestAt }) => oldestAt ?? []).sort()[0] ?? null,
  }))
}
