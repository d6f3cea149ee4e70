import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { newsletterSchema } from '#contract/newsletter.ts'
import {
  NEWSLETTER_HONEYPOT,
  NEWSLETTER_MESSAGES,
  NEWSLETTER_PATH,
  type NewsletterAnswer,
} from '#contract/newsletter-form.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { toAppError } from '../http/errors.ts'
import { FloodGuard, type FloodLimit } from './flood-guard.ts'
import { storeSubscription } from './store-subscription.ts'

/** An address has at most 254 characters; the rest is room for field names and percent-encoding. */
const BODY_LIMIT_BYTES = 4_096
const FORM_TYPE = 'application/x-www-form-urlencoded'
const FLOOD_LIMIT: FloodLimit = { hits: 10, windowMs: 60_000 }

type Outcome = Exclude<keyof typeof NEWSLETTER_MESSAGES, 'unreachable'>

export interface NewsletterDeps {
  db: Db
  config: Pick<Config, 'trustProxy'>
  /** The page that a plain form post is answered with. */
  renderAnswer: (message: string) => string
  /** Called when a subscription is durable. */
  onStored: () => void
  now?: () => number
}

/** `POST /api/newsletter`: JSON from the page's script, or the plain form of a browser without it. */
export function registerNewsletter(app: FastifyInstance, deps: NewsletterDeps): void {
  const { db, config, renderAnswer, onStored, now = Date.now } = deps
  const guard = new FloodGuard(db, FLOOD_LIMIT)
  const pages: Record<Outcome, string> = {
    success: renderAnswer(NEWSLETTER_MESSAGES.success),
    invalid: renderAnswer(NEWSLETTER_MESSAGES.invalid),
    rejected: renderAnswer(NEWSLETTER_MESSAGES.rejected),
  }

  function answer(request: FastifyRequest, reply: FastifyReply, status: number, outcome: Outcome) {
    reply.code(status).header('cache-control', 'no-store')
    if (isForm(request)) return reply.type('text/html; charset=utf-8').send(pages[outcome])
    return reply.send({ message: NEWSLETTER_MESSAGES[outcome] } satisfies NewsletterAnswer)
  }

  app.register(async (scope) => {
    // Types that a foreign page can send without asking first; only the form's own is spoken here.
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
    scope.post(NEWSLETTER_PATH, { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
      if (isCrossSite(request)) return answer(request, reply, 403, 'rejected')
      const wait = await guard.check(request.ip, now())
      if (wait !== null) {
        const hint = looksProxied(request, config)
          ? 'every visitor may share it: TRUST_PROXY is not set'
          : null
        request.log.warn({ hint }, 'newsletter: one address posts too often')
        reply.header('retry-after', String(wait))
        return answer(request, reply, 429, 'rejected')
      }
      // A robot must not learn that it was found out.
      if (fillsHoneypot(request.body)) return answer(request, reply, 200, 'success')
      const parsed = newsletterSchema.safeParse(request.body)
      if (!parsed.success) return answer(request, reply, 422, 'invalid')
      await storeSubscription(db, parsed.data.email, now())
      onStored()
      return answer(request, reply, 200, 'success')
    })
  })
}

function isForm(request: FastifyRequest): boolean {
  return (request.headers['content-type'] ?? '').toLowerCase().startsWith(FORM_TYPE)
}

/**
 * A page elsewhere could make its visitors subscribe a stranger, each from an address of their own, past every limit.
 * Browsers name the initiator on secure origins; where the header is absent there is nothing to judge by.
 */
function isCrossSite(request: FastifyRequest): boolean {
  return request.headers['sec-fetch-site'] === 'cross-site'
}

function looksProxied(request: FastifyRequest, config: NewsletterDeps['config']): boolean {
  return config.trustProxy === false && request.headers['x-forwarded-for'] !== undefined
}

function fillsHoneypot(body: unknown): boolean {
  if (body === null || typeof body !== 'object') return false
  const value = (body as Record<string, unknown>)[NEWSLETTER_HONEYPOT]
  return value !== undefined && value !== null && value !== ''
}
