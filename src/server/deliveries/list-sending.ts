import type { Db } from '../db/database.ts'

/** After this an account that its vendor blocked is tried again by itself. */
const BLOCKED_MS = 3_600_000

export interface SendingPixel {
  id: string
  name: string
  /** When its next delivery is due; null when none waits. */
  due: string | null
}

/** Pixels that send: on, not paused, with a secret, and not stopped. */
export async function listSending(db: Db, now: number): Promise<SendingPixel[]> {
  return db
    .selectFrom('pixel_secrets as secret')
    .innerJoin('tracking_pixels as pixel', 'pixel.id', 'secret.pixel_id')
    .leftJoin('delivery_stops as stop', 'stop.pixel_id', 'pixel.id')
    .select(['pixel.id', 'pixel.name'])
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
        eb.and([
          eb('stop.code', '=', 'account_blocked'),
          eb('stop.stopped_at', '<=', new Date(now - BLOCKED_MS).toISOString()),
        ]),
      ]),
    )
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('site_state').select('site_state.id').where('tags_paused_at', 'is', null)),
    )
    .execute()
}
