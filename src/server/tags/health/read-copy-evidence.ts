import { TOKEN_MISSING } from '#contract/conversions.ts'
import type { PixelDelivery } from '#contract/pixel.ts'
import type { Db } from '#server/db/database.ts'

const DAY_MS = 86_400_000

/** What became of the server's copies in the last 24 hours, and whether they are sent at all. */
export interface CopyEvidence {
  delivery: Exclude<PixelDelivery, 'browser'>
  stop: { code: string; message: string } | null
  accepted: number
  unconfirmed: number
  refused: number
  /** The last attempt failed, and something waits for the next. */
  isRetrying: boolean
}

/** By pixel; only of those that the server tells of. */
export async function readCopyEvidence(db: Db, now = Date.now()): Promise<ReadonlyMap<string, CopyEvidence>> {
  const [pixels, counts] = await Promise.all([
    db
      .selectFrom('tracking_pixels as pixel')
      .leftJoin('delivery_stops as stop', 'stop.pixel_id', 'pixel.id')
      .select(['pixel.id', 'pixel.delivery', 'pixel.has_access_token', 'stop.code', 'stop.message'])
      .select((eb) => [
        eb
          .selectFrom('delivery_log as log')
          .select('log.state')
          .whereRef('log.pixel_id', '=', 'pixel.id')
          .orderBy('log.created_at', 'desc')
          .orderBy('log.id')
          .limit(1)
          .as('last_state'),
        eb
          .selectFrom('deliveries as waiting')
          .select('waiting.id')
          .whereRef('waiting.pixel_id', '=', 'pixel.id')
          .limit(1)
          .as('waiting_id'),
      ])
      .where('pixel.is_active', '=', true)
      .where('pixel.delivery', '<>', 'browser')
      .execute(),
    db
      .selectFrom('delivery_counts')
      // Not grouped here: by their hour they are few, and by their key they are all.
      .select(['pixel_id', 'state', 'count'])
      .where('hour', '>', new Date(now - DAY_MS).toISOString())
      .execute(),
  ])
  const evidence = new Map<string, CopyEvidence>()
  for (const { id, delivery, has_access_token, code, message, last_state, waiting_id } of pixels) {
    if (delivery === 'browser') continue
    const stop = code === null || message === null ? null : { code, message }
    const missing = has_access_token ? null : { code: 'token_missing', message: TOKEN_MISSING }
    evidence.set(id, {
      delivery,
      stop: stop ?? missing,
      accepted: 0,
      unconfirmed: 0,
      refused: 0,
      isRetrying: last_state === 'waiting' && waiting_id !== null,
    })
  }
  for (const { pixel_id, state, count } of counts) {
    const found = evidence.get(pixel_id)
    if (found !== undefined && (state === 'accepted' || state === 'unconfirmed' || state === 'refused'))
      found[state] += count
  }
  return evidence
}
