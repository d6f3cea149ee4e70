import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import {
  type ConversionLabels,
  type DeliveryCheck,
  type DeliveryDraftInput,
  isConversionLabels,
  type PixelDeliveries,
  type RetriedDeliveries,
  type ServedDestination,
} from '#contract/conversions.ts'
import { DAY_MS } from '#contract/durations.ts'
import { WEBHOOK_URL_MAX_LENGTH } from '#contract/pixel.ts'
import { pixelTypeSchema } from '#contract/pixel-schema.ts'
import { type SentEvent, toOutcomeEvent } from '#contract/server-event.ts'
import { recordAudit } from '../activity/trail.ts'
import type { Db } from '../db/database.ts'
import { sweepRegularly } from '../db/sweep.ts'
import type { OutgoingClient } from '../http/outgoing.ts'
import { type ChangeAsCaller, pathId, readBody } from '../http/security/administrators.ts'
import { findNextAttempt, makeDue } from '../outbox/queue.ts'
import { sumCounts } from '../stats/counts.ts'
import { readConfirmations } from './confirmations.ts'
import { expireConversions, missingToken, readDeliveryResult } from './delivery-results.ts'
import { destinationOf, serveDestinations } from './destinations/destinations.ts'
import { readPixel } from './read-pixel.ts'
import type { TargetDeps } from './targets.ts'
import { checkDelivery, checkDraft } from './test-event.ts'

interface DeliveryAdminDeps extends TargetDeps {
  client: OutgoingClient
  /** Tells the worker that jobs may be due now. */
  wake: () => void
}

/** The longest is a key file. */
const MAX_SECRET_LENGTH = 8_000

const checkSchema = z.object({
  test_event_code: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/))),
})

const draftSchema = z.extend(checkSchema, {
  id: z.optional(z.uuid()),
  type: pixelTypeSchema,
  destination: z.optional(z.nullable(z.string().check(z.maxLength(64)))),
  pixel_id: z.nullable(z.string().check(z.maxLength(64))),
  destination_account: z.optional(z.nullable(z.string().check(z.maxLength(64)))),
  event_ids: z.optional(z.nullable(z.custom<ConversionLabels>(isConversionLabels))),
  webhook_url: z.optional(z.nullable(z.string().check(z.maxLength(WEBHOOK_URL_MAX_LENGTH)))),
  access_token: z.optional(z.nullable(z.string().check(z.maxLength(MAX_SECRET_LENGTH)))),
})

/** Routes for the deliveries of a pixel. */
export function registerDeliveryAdmin(scope: FastifyInstance, deps: DeliveryAdminDeps): void {
  const { db } = deps
  /** Lists the destinations that the server can send conversions to, with the fields that each needs. */
  scope.get('/admin/api/destinations', async (): Promise<ServedDestination[]> => serveDestinations())

  /** The last 20 attempts to send conversions of a pixel, what waits, why sending stopped, and refusals of 30 days. */
  scope.get('/admin/api/pixels/:id/deliveries', async (request): Promise<PixelDeliveries> => {
    return readDeliveries(db, pathId(request))
  })

  /** Tries waiting conversions now, and resumes sending if it was stopped. */
  scope.post('/admin/api/pixels/:id/deliveries/retry', async (request): Promise<RetriedDeliveries> => {
    const retried = await retryDeliveries(db, request.change, pathId(request))
    deps.wake()
    return retried
  })

  /** Sends a test event for a form that is not saved. Body: `DeliveryDraftInput`. */
  scope.post('/admin/api/pixels/check', async (request): Promise<DeliveryCheck> => {
    return checkDraft(deps, readBody(draftSchema, request) as DeliveryDraftInput)
  })

  /** Sends a test event for a saved pixel. Body: `{ test_event_code? }`. */
  scope.post('/admin/api/pixels/:id/check', async (request): Promise<DeliveryCheck> => {
    return checkDelivery(
      deps,
      request.change,
      pathId(request),
      readBody(checkSchema, request) as { test_event_code?: string },
    )
  })
  sweepRegularly(scope, 'expired conversions', (signal) => expireConversions(db, signal))
}

const REFUSAL_DAYS = 30

const MAX_REASONS = 10

/** Recent attempts of a pixel and what waits, without data of visitors. */
async function readDeliveries(db: Db, pixelId: string, now = Date.now()): Promise<PixelDeliveries> {
  const pixel = await readPixel(db, pixelId, [
    'type',
    'destination',
    'delivery',
    'has_access_token',
    'updated_at',
  ])
  const [deliveries, waiting, nextAttempt, stop, outcomes, later] = await Promise.all([
    db
      .selectFrom('delivery_log as log')
      .leftJoin('outcome_names as outcome', (join) =>
        join.on(
          'log.event',
          '=',
          sql<SentEvent>`${sql.lit(toOutcomeEvent(''))} || ${sql.ref('outcome.name')}`,
        ),
      )
      .select(['log.id', 'log.created_at as at', 'log.event', 'outcome.label as outcome_label'])
      .select(['log.state', 'log.attempts', 'log.answer', 'log.message'])
      .where('log.pixel_id', '=', pixelId)
      .orderBy('log.created_at', 'desc')
      .orderBy('log.id')
      .limit(20)
      .execute(),
    db
      .selectFrom('deliveries')
      .select((eb) => [eb.fn.countAll().as('count'), eb.fn.min('expires_at').as('expires')])
      .where('pixel_id', '=', pixelId)
      .executeTakeFirstOrThrow(),
    findNextAttempt(db, { pixelId }),
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
    readConfirmations(db, pixelId, now - REFUSAL_DAYS * DAY_MS),
  ])
  const destination = destinationOf(pixel)
  const missing = missingToken(pixel)
  const stopped = stop ?? (missing === null ? null : { ...missing, since: pixel.updated_at })
  return {
    deliveries,
    waiting: Number(waiting.count),
    next_attempt_at: stopped === null ? nextAttempt : null,
    first_expires_at: waiting.expires,
    stopped,
    confirmations: later.confirmations,
    refusals: outcomes
      .map(({ key, count }) => ({ ...readDeliveryResult(key), count }))
      .filter(({ state }) => state === 'refused')
      .map(({ reason, count }) => ({ reason, count }))
      .concat(later.refusals)
      .sort((a, b) => b.count - a.count)
      .slice(0, MAX_REASONS)
      .map(({ reason, count }) => ({ reason, message: destination?.refusalText(reason) ?? reason, count })),
  }
}

/** "Tentar de novo": makes waiting jobs due now, and lifts a stop until the vendor refuses again. */
async function retryDeliveries(db: Db, change: ChangeAsCaller, pixelId: string): Promise<RetriedDeliveries> {
  await change(db, async (trx, actor) => {
    await readPixel(trx, pixelId, ['id'])
    await trx.deleteFrom('delivery_stops').where('pixel_id', '=', pixelId).execute()
    await recordAudit(trx, { ...actor, action: 'deliveries.retry', subject: pixelId })
  })
  // Counted before they are made due: the worker may send some meanwhile.
  const { waiting } = await db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('pixel_id', '=', pixelId)
    .where('leased_until', 'is', null)
    .executeTakeFirstOrThrow()
  await makeDue(db, { pixelId }, Date.now())
  return { waiting: Number(waiting) }
}
