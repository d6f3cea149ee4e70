import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { isEmail, normalizeEmail } from '#contract/email.ts'
import {
  NEWSLETTER_HONEYPOT,
  NEWSLETTER_MESSAGES,
  NEWSLETTER_PATH,
  type NewsletterAnswer,
} from '#contract/newsletter.ts'
import type { Db } from '../db/database.ts'
import { change } from '../db/transactions/change.ts'
import { toAppError } from '../http/errors.ts'
import { BODY_BYTES } from '../http/limits/limits.ts'
import { guardPublicPost, type PublicGuard, storeWithin } from '../http/limits/public.ts'

const FORM_TYPE = 'application/x-www-form-urlencoded'

type Outcome = Exclude<keyof typeof NEWSLETTER_MESSAGES, 'unreachable'>

export interface NewsletterDeps {
  db: Db
  guard: PublicGuard
  /** Renders the page that answers a plain form post. */
  renderAnswer: (message: string) => string
  /** Called when a subscription is stored. */
  onStored: () => void
  /** Called before the response: the page's next conversion belongs to this subscription. */
  onSubscribed: (request: FastifyRequest, email: string) => Promise<void>
}

/** `POST /api/newsletter`: JSON from the page's script, or the plain form of a browser without it. */
export function registerNewsletter(app: FastifyInstance, deps: NewsletterDeps): void {
  const { db, guard, renderAnswer, onStored, onSubscribed } = deps

  function answer(request: FastifyRequest, reply: FastifyReply, status: number, outcome: Outcome) {
    reply.code(status).header('cache-control', 'no-store')
    const message = NEWSLETTER_MESSAGES[outcome]
    if (isForm(request)) return reply.type('text/html; charset=utf-8').send(renderAnswer(message))
    return reply.send({ message } satisfies NewsletterAnswer)
  }

  app.register(async (scope) => {
    // Content types that another site can send without a preflight; only the form's own is accepted.
    scope.removeContentTypeParser('text/plain')
    scope.addContentTypeParser<string>(
      FORM_TYPE,
      { parseAs: 'string' },
      async (_request: FastifyRequest, body: string) => Object.fromEntries(new URLSearchParams(body)),
    )
    scope.setErrorHandler((error, request, reply) => {
      const known = toAppError(error, request)
      reply.headers(known.headers)
      return answer(request, reply, known.status, 'rejected')
    })
    scope.post(NEWSLETTER_PATH, { bodyLimit: BODY_BYTES.newsletter }, async (request, reply) => {
      guardPublicPost(guard, request, 'newsletter')
      // A robot must not learn that it was detected.
      if (fillsHoneypot(request.body)) return answer(request, reply, 200, 'success')
      const parsed = newsletterSchema.safeParse(request.body)
      if (!parsed.success) return answer(request, reply, 422, 'invalid')
      const { email } = parsed.data
      await storeWithin(guard, request, 'newsletter', async (giveBack) => {
        if (!(await storeSubscription(db, email, Date.now()))) giveBack()
      })
      onStored()
      await onSubscribed(request, email).catch((error) =>
        // The subscription is stored: a later failure must not make it look lost.
        request.log.warn({ err: error }, 'newsletter: email hash for Meta not stored'),
      )
      return answer(request, reply, 200, 'success')
    })
  })
}

function isForm(request: FastifyRequest): boolean {
  return (request.headers['content-type'] ?? '').toLowerCase().startsWith(FORM_TYPE)
}

function fillsHoneypot(body: unknown): boolean {
  if (body === null || typeof body !== 'object') return false
  const value = (body as Record<string, unknown>)[NEWSLETTER_HONEYPOT]
  return value !== undefined && value !== null && value !== ''
}

/**
 * Resolves when the subscription and its job are stored. Subscribing again changes nothing, unless delivery had failed:
 * then it is reopened under the same key. False if nothing changed.
 */
export async function storeSubscription(db: Db, email: string, now: number): Promise<boolean> {
  const at = new Date(now).toISOString()
  return change(db, async (trx) => {
    const opened = await trx
      .insertInto('newsletter_subscriptions')
      .values({
        id: randomUUID(),
        email,
        status: 'pending',
        delivery_key: randomUUID(),
        next_attempt_at: at,
        created_at: at,
      })
      .onConflict((conflict) =>
        conflict
          .expression(sql`lower(email)`)
          .doUpdateSet({ status: 'pending', attempts: 0, next_attempt_at: at, last_error: null })
          .where('newsletter_subscriptions.status', '=', 'failed'),
      )
      .returning(['id', 'created_at'])
      .execute()
    await queueSubscriptions(trx, opened, now)
    return opened.length > 0
  })
}

/** Queues subscriptions, due at once, in the transaction that opened them. */
export async function queueSubscriptions(
  trx: Db,
  subscriptions: readonly { id: string; created_at: string }[],
  now: number,
): Promise<void> {
  if (subscriptions.length === 0) return
  await trx
    .insertInto('deliveries')
    .values(
      subscriptions.map(({ id, created_at }) => ({
        id,
        kind: 'newsletter' as const,
        subscription_id: id,
        payload: '{}',
        next_attempt_at: new Date(now).toISOString(),
        created_at,
      })),
    )
    // An older process, which knows no queue, gave it up: its job exists already.
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

const emailSchema = z.pipe(z.string().check(z.refine(isEmail, 'invalid email')), z.transform(normalizeEmail))

const newsletterSchema = z.object({
  email: emailSchema,
  [NEWSLETTER_HONEYPOT]: z.optional(z.string()),
})
