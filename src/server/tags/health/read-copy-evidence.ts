import type { PixelDelivery } from '#contract/pixel-delivery.ts'
import type { Db } from '#server/db/database.ts'

const DAY_MS = 86_400_000

/** What became of the server's copies in the last 24 hours, and whether they are sent at all. */
export interface CopyEvidence {
  delivery: Exclude<PixelDelivery, 'browser'>
  stop: { code: string; message: string } | null
  accepted: number
  unconfirmed: number
  refused: number
}

const TOKEN_MISSING =
  'Falta o token com que o servidor envia. Nada é enviado até que ele seja salvo de novo neste pixel.'

/** By pixel; only of those that the server tells of. */
export async function readCopyEvidence(db: Db, now = Date.now()): Promise<ReadonlyMap<string, CopyEvidence>> {
  const [pixels, counts] = await Promise.all([
    db
      .selectFrom('tracking_pixels as pixel')
      .leftJoin('delivery_stops as stop', 'stop.pixel_id', 'pixel.id')
      .select(['pixel.id', 'pixel.delivery', 'pixel.has_access_token', 'stop.code', 'stop.message'])
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
  for (const { id, delivery, has_access_token, code, message } of pixels) {
    if (delivery === 'browser') continue
    const stop = code === null || message === null ? null : { code, message }
    const missing = has_access_token ? null : { code: 'token_missing', message: TOKEN_MISSING }
    evidence.set(id, { delivery, stop: stop ?? missing, accepted: 0, unconfirmed: 0, refused: 0 })
  }
  for (const { pixel_id, state, count } of counts) {
    const found = evidence.get(pixel_id)
    if (found !== undefined && (state === 'accepted' || state === 'unconfirmed' || state === 'refused'))
      found[state] += count
  }
  return evidence
}
