import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import {
  type DeliveryCheck,
  type DeliveryDraftInput,
  type PixelDeliveries,
  type RetriedDeliveries,
  type ServedDestination,
  TOKEN_MISSING,
} from '#contract/conversions.ts'
import { WEBHOOK_URL_MAX_LENGTH } from '#contract/pixel.ts'
import { pixelTypeSchema } from '#contract/pixel-schema.ts'
import { recordAudit } from '../activity/trail.ts'
import type { Db } from '../db/database.ts'
import { sweepRegularly } from '../db/sweep.ts'
import { change } from '../db/transactions/change.ts'
import { AppError } from '../http/errors.ts'
import type { OutgoingClient } from '../http/outgoing.ts'
import { auditActor, type Caller, pathId, readBody } from '../http/security/administrators.ts'
import { makeDue } from '../outbox/queue.ts'
import { sumCounts } from '../stats/counts.ts'
import { destinationOf, serveDestinations } from './destinations/destinations.ts'
import { expireConversions, readOutcome } from './outcomes.ts'
import type { TargetDeps } from './targets.ts'
import { checkDelivery, checkDraft } from './test-event.ts'

interface DeliveryAdminDeps extends TargetDeps {
  client: OutgoingClient
  /** What waits may be due now. */
  wake: () => void
}

const checkSchema = z.object({
  test_event_code: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/))),
})

const draftSchema = z.extend(checkSchema, {
  id: z.optional(z.uuid()),
  type: pixelTypeSchema,
  destination: z.optional(z.nullable(z.string().check(z.maxLength(64)))),
  pixel_id: z.nullable(z.string().check(z.maxLength(64))),
  webhook_url: z.optional(z.nullable(z.string().check(z.maxLength(WEBHOOK_URL_MAX_LENGTH)))),
  access_token: z.optional(z.nullable(z.string().check(z.maxLength(2_000)))),
})

/** What the dashboard sees and does about the deliveries of a pixel. */
export function registerDeliveryAdmin(scope: FastifyInstance, deps: DeliveryAdminDeps): void {
  const { db } = deps
  scope.get('/admin/api/destinations', async (): Promise<ServedDestination[]> => serveDestinations())

  scope.get('/admin/api/pixels/:id/deliveries', async (request): Promise<PixelDeliveries> => {
    return readDeliveries(db, pathId(request))
  })

  scope.post('/admin/api/pixels/:id/deliveries/retry', async (request): Promise<RetriedDeliveries> => {
    const { caller } = request
    const retried = await retryDeliveries(db, caller, pathId(request))
    deps.wake()
    return retried
  })

  scope.post('/admin/api/pixels/check', async (request): Promise<DeliveryCheck> => {
    return checkDraft(deps, readBody(draftSchema, request) as DeliveryDraftInput)
  })

  scope.post('/admin/api/pixels/:id/check', async (request): Promise<DeliveryCheck> => {
    return checkDelivery(
      deps,
      pathId(request),
      readBody(checkSchema, request) as { test_event_code?: string },
    )
  })
  sweepRegularly(scope, 'expired conversions', (signal) => expireConversions(db, signal))
}

const DAY_MS = 86_400_000

const REFUSAL_DAYS = 30

const MAX_REASONS = 10

/** What the server told a pixel's vendor lately, and what waits. Nothing of it is about a visitor. */
async function readDeliveries(db: Db, pixelId: string, now = Date.now()): Promise<PixelDeliveries> {
  const pixel = await db
    .selectFrom('tracking_pixels')
    .select(['type', 'destination', 'delivery', 'has_access_token', 'updated_at'])
    .where('id', '=', pixelId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (pixel === undefined) throw new AppError(404, 'not_found', 'Pixel não encontrado.')
  const [deliveries, waiting, stop, outcomes] = await Promise.all([
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
    sumCounts(db, {
      series: 'conversion',
      resolution: 'hour',
      subject: pixelId,
      from: now - REFUSAL_DAYS * DAY_MS,
    }),
  ])
  const destination = destinationOf(pixel)
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
    refusals: outcomes
      .map(({ key, count }) => ({ ...readOutcome(key), count }))
      .filter(({ state }) => state === 'refused')
      .sort((a, b) => b.count - a.count)
      .slice(0, MAX_REASONS)
      .map(({ reason, count }) => ({ reason, message: destination?.refusalText(reason) ?? reason, count })),
  }
}

/** "Tentar de novo": what waits is due now, and a stop is lifted until the vendor says so again. */
async function retryDeliveries(db: Db, caller: Caller, pixelId: string): Promise<RetriedDeliveries> {
  await change(db, async (trx) => {
    const pixel = await trx
      .selectFrom('tracking_pixels')
      .select('id')
      .where('id', '=', pixelId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (pixel === undefined) throw new AppError(404, 'not_found', 'Pixel não encontrado.')
    await trx.deleteFrom('delivery_stops').where('pixel_id', '=', pixelId).execute()
    await recordAudit(trx, { ...auditActor(caller), action: 'deliveries.retry', subject: pixelId })
  })
  // Before they are made due: the worker may have sent the first ones by the time the last one is.
  const { waiting } = await db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('pixel_id', '=', pixelId)
    .where('leased_until', 'is', null)
    .executeTakeFirstOrThrow()
  await makeDue(db, { pixelId }, Date.now())
  return { waiting: Number(waiting) }
}
