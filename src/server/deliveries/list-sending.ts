import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'

/** A stopped pixel tries one delivery again so often: a mended account goes on by itself. */
const PROBE_MS = 3_600_000

export interface SendingPixel {
  id: string
  name: string
  /** When its next delivery is due; null when none waits. */
  due: string | null
  /** It is stopped, and one delivery may be tried. */
  isProbe: boolean
}

/** Pixels that send: on, not paused, with a secret, and either not stopped or stopped for long enough to try again. */
export async function listSending(db: Db, now: number): Promise<SendingPixel[]> {
  const rows = await db
    .selectFrom('pixel_secrets as secret')
    .innerJoin('tracking_pixels as pixel', 'pixel.id', 'secret.pixel_id')
    .leftJoin('delivery_stops as stop', 'stop.pixel_id', 'pixel.id')
    .select(['pixel.id', 'pixel.name', 'stop.code as stop'])
    .select((eb) =>
      eb
        .selectFrom('deliveries')
        .select('deliveries.next_attempt_at')
        .whereRef('deliveries.pixel_id', '=', 'pixel.id')
        .orderBy('deliveries.next_attempt_at')
        .limit(1)
        .as('due'),
    )
    .where('pixel.is_active', '=', true)
    .where((eb) =>
      eb.or([
        eb('stop.pixel_id', 'is', null),
        eb(eb.fn.coalesce('stop.tried_at', 'stop.stopped_at'), '<=', beforeProbe(now)),
      ]),
    )
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('site_state').select('site_state.id').where('tags_paused_at', 'is', null)),
    )
    .execute()
  return rows.map(({ stop, due, ...pixel }) => ({
    ...pixel,
    due: stop === null || due === null ? due : new Date(now).toISOString(),
    isProbe: stop !== null,
  }))
}

/** Makes one waiting delivery of a stopped pixel due; false where another process has just done so. */
export async function beginProbe(db: Db, pixelId: string, now: number): Promise<boolean> {
  const at = new Date(now).toISOString()
  return change(db, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('delivery_stops')
      .set({ tried_at: at })
      .where('pixel_id', '=', pixelId)
      .where((eb) => eb(eb.fn.coalesce('tried_at', 'stopped_at'), '<=', beforeProbe(now)))
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    await trx
      .updateTable('deliveries')
      .set({ next_attempt_at: at })
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('deliveries')
          .select('id')
          .where('pixel_id', '=', pixelId)
          .where('leased_until', 'is', null)
          .orderBy('created_at', 'desc')
          .limit(1),
      )
      .execute()
    return true
  })
}

function beforeProbe(now: number): string {
  return new Date(now - PROBE_MS).toISOString()
}
