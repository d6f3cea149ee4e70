import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type {
  DeliveryCheck,
  DeliveryDraftInput,
  PixelDeliveries,
  RetriedDeliveries,
} from '#contract/conversions.ts'
import { WEBHOOK_URL_MAX_LENGTH } from '#contract/pixel.ts'
import { pixelTypeSchema } from '#contract/pixel-schema.ts'
import { type AdminAccess, pathId, readBody, requireAdministrator } from '../http/admin-request.ts'
import { guardApi } from '../http/api-guard.ts'
import { sweepRegularly } from '../http/sweep-regularly.ts'
import { checkDelivery, checkDraft } from './check-delivery.ts'
import type { OutgoingClient } from './outgoing-client.ts'
import { readDeliveries } from './read-deliveries.ts'
import type { TargetDeps } from './read-target.ts'
import { retryDeliveries } from './retry-deliveries.ts'
import { sweepDeliveries } from './sweep-deliveries.ts'

interface DeliveryAdminDeps extends TargetDeps, AdminAccess {
  client: OutgoingClient
  retention: { readonly reportDays: number }
  /** What waits may be due now. */
  wake: () => void
}

const checkSchema = z.object({
  test_event_code: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/))),
})

const draftSchema = z.extend(checkSchema, {
  id: z.optional(z.uuid()),
  type: pixelTypeSchema,
  pixel_id: z.nullable(z.string().check(z.maxLength(64))),
  webhook_url: z.optional(z.nullable(z.string().check(z.maxLength(WEBHOOK_URL_MAX_LENGTH)))),
  access_token: z.optional(z.nullable(z.string().check(z.maxLength(2_000)))),
})

/** What the dashboard sees and does about the deliveries of a pixel. */
export async function registerDeliveryAdmin(app: FastifyInstance, deps: DeliveryAdminDeps): Promise<void> {
  const { db } = deps
  await app.register(async (scope) => {
    guardApi(scope, { origins: deps.origins })

    scope.get('/admin/api/pixels/:id/deliveries', async (request): Promise<PixelDeliveries> => {
      await requireAdministrator(deps, request)
      return readDeliveries(db, pathId(request))
    })

    scope.post('/admin/api/pixels/:id/deliveries/retry', async (request): Promise<RetriedDeliveries> => {
      const caller = await requireAdministrator(deps, request)
      const retried = await retryDeliveries(db, caller, pathId(request))
      deps.wake()
      return retried
    })

    scope.post('/admin/api/pixels/check', async (request): Promise<DeliveryCheck> => {
      await requireAdministrator(deps, request)
      return checkDraft(deps, readBody(draftSchema, request) as DeliveryDraftInput)
    })

    scope.post('/admin/api/pixels/:id/check', async (request): Promise<DeliveryCheck> => {
      await requireAdministrator(deps, request)
      return checkDelivery(
        deps,
        pathId(request),
        readBody(checkSchema, request) as { test_event_code?: string },
      )
    })
  })
  sweepRegularly(app, 'old deliveries', (signal) => sweepDeliveries(db, deps.retention, signal))
}
