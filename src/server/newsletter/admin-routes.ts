import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { normalizeEmail } from '#contract/email.ts'
import { mayBeKnownEmail } from '#contract/known-email.ts'
import type { ErasedSubscription, SubscriptionPage } from '#contract/newsletter.ts'
import { recordAudit } from '../activity/trail.ts'
import { forgetEmail } from '../conversions/sign-up-email.ts'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { inBatches } from '../db/sweep.ts'
import { change } from '../db/transactions/change.ts'
import { AppError } from '../http/errors.ts'
import { auditActor, changeAsOperator, readBody } from '../http/security/administrators.ts'
import { makeDue } from '../outbox/queue.ts'
import { queueSubscriptions } from './subscribe.ts'
import { exportSubscriptions, listSubscriptions } from './subscriptions.ts'

interface SubscriptionsDeps {
  db: Db
  /** Whether a webhook is configured. */
  delivers: boolean
  /** Called when jobs are due at once. */
  onRequeued: () => void
}

const retrySchema = z.object({ id: z.optional(z.uuid()) })

/** In the body: addresses do not belong into request logs. */
const eraseSchema = z.object({ email: z.string().check(z.maxLength(254)) })

const NOT_FOUND = 'Nenhuma inscrição com este e-mail.'

/** Routes for subscriptions under `/admin/api`. */
export function registerSubscriptions(scope: FastifyInstance, deps: SubscriptionsDeps): void {
  const { db, delivers } = deps
  /** A page of newsletter subscriptions. Query: `search`, `status`, `before`. */
  scope.get('/admin/api/subscriptions', async (request): Promise<SubscriptionPage> => {
    return { ...(await listSubscriptions(db, request.query)), delivers }
  })

  /** All newsletter subscriptions as CSV. The download is recorded. */
  scope.get('/admin/api/subscriptions/export', async (request, reply) => {
    const { caller } = request
    await recordAudit(db, { ...auditActor(caller), action: 'newsletter.export' })
    reply.type('text/csv; charset=utf-8').header('cache-control', 'no-store')
    return reply.send(Readable.from(exportSubscriptions(db)))
  })

  /** Delivers subscriptions to the webhook now. Body: `{ id? }`; without an id, all that wait or failed. */
  scope.post('/admin/api/subscriptions/retry', async (request, reply) => {
    const { id } = readBody(retrySchema, request)
    await request.change(db, async (trx, actor) => {
      if (id !== undefined && !(await retrySubscription(trx, id, Date.now())))
        throw new AppError(404, 'not_found', 'Esta inscrição já foi enviada ou excluída. Recarregue a lista.')
      await recordAudit(trx, { ...actor, action: 'newsletter.retry' })
    })
    if (id === undefined) await requeue(db, Date.now())
    deps.onRequeued()
    return reply.code(204).send()
  })

  /** Deletes a subscriber (LGPD, art. 18). Body: `{ email }`. */
  scope.post('/admin/api/subscriptions/erase', async (request): Promise<ErasedSubscription> => {
    const { email } = readBody(eraseSchema, request)
    if (!mayBeKnownEmail(email)) throw new AppError(404, 'not_found', NOT_FOUND)
    const erased = await eraseSubscription(db, email, new Date(), request.change)
    if (!erased.found) throw new AppError(404, 'not_found', NOT_FOUND)
    return { was_delivered: erased.wasDelivered }
  })
}

interface Erased {
  found: boolean
  /** The webhook has the address too and must be informed separately. */
  wasDelivered: boolean
}

/** Erases a person (LGPD, art. 18, VI). The audit trail records the erasure without the address. */
export async function eraseSubscription(
  db: Db,
  email: string,
  now: Date,
  changeAs = changeAsOperator,
): Promise<Erased> {
  const embedded = engineOf(db) === 'sqlite'
  // By default SQLite only unlinks deleted rows, and their bytes stay in the file. It stays on: switching it off could
  // affect another erasure that runs now.
  if (embedded) await sql`pragma secure_delete = on`.execute(db)
  const erased = await changeAs(db, async (trx, actor) => {
    const row = await trx
      .deleteFrom('newsletter_subscriptions')
      .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', normalizeEmail(email)))
      .returning(['status', 'attempts'])
      .executeTakeFirst()
    await forgetEmail(trx, email)
    if (row === undefined) return { found: false, wasDelivered: false }
    await recordAudit(trx, { ...actor, action: 'newsletter.erase' }, now)
    return { found: true, wasDelivered: row.status === 'delivered' || row.attempts > 0 }
  })
  // The write-ahead log still contains the old page.
  if (embedded && erased.found) await sql`pragma wal_checkpoint(truncate)`.execute(db)
  return erased
}

interface Requeued {
  /** Subscriptions that had been given up. */
  failed: number
  /** Subscriptions that were waiting. */
  waiting: number
}

/** For when the webhook works again: failed ones start over, and waiting ones are due now. */
export async function requeue(db: Db, now: number): Promise<Requeued> {
  const waiting = await makeDue(db, { kind: 'newsletter' }, now)
  const failed = await inBatches((rows) =>
    change(db, async (trx) => {
      const opened = await trx
        .updateTable('newsletter_subscriptions')
        .set({ status: 'pending', attempts: 0 })
        .where('id', 'in', (eb) =>
          eb.selectFrom('newsletter_subscriptions').select('id').where('status', '=', 'failed').limit(rows),
        )
        .returning(['id', 'created_at'])
        .execute()
      await queueSubscriptions(trx, opened, now)
      return BigInt(opened.length)
    }),
  )
  return { failed, waiting }
}

/** A failed one starts over, and a waiting one is due now; delivered ones stay. */
async function retrySubscription(trx: Db, id: string, now: number): Promise<boolean> {
  const opened = await trx
    .updateTable('newsletter_subscriptions')
    .set((eb) => ({
      attempts: eb.case().when('status', '=', 'failed').then(0).else(eb.ref('attempts')).end(),
      status: 'pending',
    }))
    .where('id', '=', id)
    .where('status', 'in', ['pending', 'failed'])
    .returning(['id', 'created_at'])
    .execute()
  await queueSubscriptions(trx, opened, now)
  await trx
    .updateTable('deliveries')
    .set({ next_attempt_at: new Date(now).toISOString() })
    .where('subscription_id', '=', id)
    // Jobs being sent are left alone.
    .where('leased_until', 'is', null)
    .execute()
  return opened.length > 0
}
