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
import { type Actor, auditActor, OPERATOR_ACTOR, readBody } from '../http/security/administrators.ts'
import { makeDue } from '../outbox/queue.ts'
import { queueSubscriptions } from './subscribe.ts'
import { exportSubscriptions, listSubscriptions } from './subscriptions.ts'

interface SubscriptionsDeps {
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
export function registerSubscriptions(scope: FastifyInstance, deps: SubscriptionsDeps): void {
  const { db, delivers } = deps
  scope.get('/admin/api/subscriptions', async (request): Promise<SubscriptionPage> => {
    return { ...(await listSubscriptions(db, request.query)), delivers }
  })

  scope.get('/admin/api/subscriptions/export', async (request, reply) => {
    const { caller } = request
    await recordAudit(db, { ...auditActor(caller), action: 'newsletter.export' })
    reply.type('text/csv; charset=utf-8').header('cache-control', 'no-store')
    return reply.send(Readable.from(exportSubscriptions(db)))
  })

  scope.post('/admin/api/subscriptions/retry', async (request, reply) => {
    const { caller } = request
    const { id } = readBody(retrySchema, request)
    if (id === undefined) await requeue(db, Date.now())
    else if (!(await retrySubscription(db, id, Date.now())))
      throw new AppError(404, 'not_found', 'Esta inscrição já foi entregue ou apagada.')
    await recordAudit(db, { ...auditActor(caller), action: 'newsletter.retry' })
    deps.onRequeued()
    return reply.code(204).send()
  })

  scope.post('/admin/api/subscriptions/erase', async (request): Promise<ErasedSubscription> => {
    const { caller } = request
    const { email } = readBody(eraseSchema, request)
    if (!mayBeKnownEmail(email)) throw new AppError(404, 'not_found', NOT_FOUND)
    const erased = await eraseSubscription(db, email, new Date(), auditActor(caller))
    if (!erased.found) throw new AppError(404, 'not_found', NOT_FOUND)
    return { was_delivered: erased.wasDelivered }
  })
}

interface Erased {
  found: boolean
  /** The webhook has the address too, and must be told by other means. */
  wasDelivered: boolean
}

/** Forgets a person (LGPD, art. 18, VI). The trail keeps that somebody was erased, and not who. */
export async function eraseSubscription(
  db: Db,
  email: string,
  now: Date,
  actor: Actor = OPERATOR_ACTOR,
): Promise<Erased> {
  const embedded = engineOf(db) === 'sqlite'
  // SQLite only unlinks deleted rows by default: their bytes would stay readable in the file. It stays on: whoever set it
  // back would do so under another erasure that is about to delete.
  if (embedded) await sql`pragma secure_delete = on`.execute(db)
  const erased = await change(db, async (trx) => {
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
  // The log beside the file still holds the page as it was.
  if (embedded && erased.found) await sql`pragma wal_checkpoint(truncate)`.execute(db)
  return erased
}

interface Requeued {
  /** Had been given up. */
  failed: number
  /** Were waiting for their next attempt. */
  waiting: number
}

/** For when the webhook works again: what was given up starts over, and what waits is due now. */
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

/** One that was given up starts over, and one that waits is due now; what was delivered stays so. */
async function retrySubscription(db: Db, id: string, now: number): Promise<boolean> {
  return change(db, async (trx) => {
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
      // What is being sent now has its say first.
      .where('leased_until', 'is', null)
      .execute()
    return opened.length > 0
  })
}
