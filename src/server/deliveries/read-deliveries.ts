import { type PixelDeliveries, TOKEN_MISSING } from '#contract/conversions.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/app-error.ts'
import { describeRefusal } from './describe-refusal.ts'

const DAY_MS = 86_400_000
const REFUSAL_DAYS = 30
const MAX_REASONS = 10

/** What the server told a pixel's vendor lately, and what waits. Nothing of it is about a visitor. */
export async function readDeliveries(db: Db, pixelId: string, now = Date.now()): Promise<PixelDeliveries> {
  const pixel = await db
    .selectFrom('tracking_pixels')
    .select(['type', 'delivery', 'has_access_token', 'updated_at'])
    .where('id', '=', pixelId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (pixel === undefined) throw new AppError(404, 'not_found', 'Pixel não encontrado.')
  const [deliveries, waiting, stop, refusals] = await Promise.all([
    db
      .selectFrom('delivery_log')
      .select(['id', 'created_at as at', 'event', 'state', 'attempts', 'answer', 'message'])
      .where('pixel_id', '=', pixelId)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(20)
      .execute(),
    db
      .selectFrom('deliveries')
      .select((eb) => [
        eb.fn.countAll().as('count'),
        eb.fn.min('next_attempt_at').as('next'),
        eb.fn.min('expires_at').as('expires'),
      ])
      .where('pixel_id', '=', pixelId)
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('delivery_stops')
      .select(['code', 'message', 'stopped_at as since'])
      .where('pixel_id', '=', pixelId)
      .executeTakeFirst(),
    db
      .selectFrom('delivery_counts')
      .select(['reason'])
      .select((eb) => eb.fn.sum('count').as('count'))
      .where('pixel_id', '=', pixelId)
      .where('state', '=', 'refused')
      .where('hour', '>=', new Date(now - REFUSAL_DAYS * DAY_MS).toISOString())
      .groupBy('reason')
      .orderBy('count', 'desc')
      .limit(MAX_REASONS)
      .execute(),
  ])
  const stopped =
    stop ??
    (pixel.delivery !== 'browser' && !pixel.has_access_token
      ? { code: 'token_missing', message: TOKEN_MISSING, since: pixel.updated_at }
      : null)
  return {
    deliveries,
    waiting: Number(waiting.count),
    next_attempt_at: stopped === null ? waiting.next : null,
    first_expires_at: waiting.expires,
    stopped,
    refusals: refusals.map(({ reason, count }) => ({
      reason,
      message: describeRefusal(pixel.type, reason),
      count: Number(count),
    })),
  }
}
