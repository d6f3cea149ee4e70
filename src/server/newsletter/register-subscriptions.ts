import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { mayBeKnownEmail } from '#contract/known-email.ts'
import type { ErasedSubscription, SubscriptionPage } from '#contract/newsletter.ts'
import { recordAudit } from '../db/audit.ts'
import type { Db } from '../db/database.ts'
import { type AdminAccess, readBody, requireAdministrator } from '../http/admin-request.ts'
import { guardApi } from '../http/api-guard.ts'
import { AppError } from '../http/app-error.ts'
import { auditActor } from '../http/caller.ts'
import { eraseSubscription } from './erase-subscription.ts'
import { exportSubscriptions } from './export-subscriptions.ts'
import { listSubscriptions } from './list-subscriptions.ts'
import { requeue } from './requeue.ts'
import { retrySubscription } from './retry-subscription.ts'

interface SubscriptionsDeps extends AdminAccess {
  db: Db
  /** Whether there is a webhook to deliver to. */
  delivers: boolean
  /** Called when something is due at once. */
  onRequeued: () => void
}

const retrySchema = z.object({ id: z.optional(z.uuid()) })
/** In the body: an address has no place in a log of requests. */
const eraseSchema = z.object({ email: z.string().check(z.maxLength(254)) })
const NOT_FOUND = 'Não há inscrição com este e-mail.'

/** What administrators do with subscriptions, under `/admin/api`. */
export async function registerSubscriptions(app: FastifyInstance, deps: SubscriptionsDeps): Promise<void> {
  const { db, delivers } = deps
  await app.register(async (scope) => {
    guardApi(scope, { origins: deps.origins })

    scope.get('/admin/api/subscriptions', async (request): Promise<SubscriptionPage> => {
      await requireAdministrator(deps, request)
      return { ...(await listSubscriptions(db, request.query)), delivers }
    })

    scope.get('/admin/api/subscriptions/export', async (request, reply) => {
      const caller = await requireAdministrator(deps, request)
      await recordAudit(db, { ...auditActor(caller), action: 'newsletter.export' })
      reply.type('text/csv; charset=utf-8').header('cache-control', 'no-store')
      return reply.send(Readable.from(exportSubscriptions(db)))
    })

    scope.post('/admin/api/subscriptions/retry', async (request, reply) => {
      const caller = await requireAdministrator(deps, request)
      const { id } = readBody(retrySchema, request)
      if (id === undefined) await requeue(db, Date.now())
      else if (!(await retrySubscription(db, id, Date.now())))
        throw new AppError(404, 'not_found', 'Esta inscrição já foi entregue ou apagada.')
      await recordAudit(db, { ...auditActor(caller), action: 'newsletter.retry' })
      deps.onRequeued()
      return reply.code(204).send()
    })

    scope.post('/admin/api/subscriptions/erase', async (request): Promise<ErasedSubscription> => {
      const caller = await requireAdministrator(deps, request)
      const { email } = readBody(eraseSchema, request)
      if (!mayBeKnownEmail(email)) throw new AppError(404, 'not_found', NOT_FOUND)
      const erased = await eraseSubscription(db, email, new Date(), auditActor(caller))
      if (!erased.found) throw new AppError(404, 'not_found', NOT_FOUND)
      return { was_delivered: erased.wasDelivered }
    })
  })
}
