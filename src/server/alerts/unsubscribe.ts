import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SummaryPageState } from '#contract/alerts.ts'
import type { Db } from '../db/database.ts'
import { change } from '../db/transactions/change.ts'
import { BODY_BYTES } from '../http/limits/limits.ts'
import { limitPublicCall, type PublicLimits } from '../http/limits/public.ts'
import { readUnsubscribeCode, storeSummaryChoice, UNSUBSCRIBE_PATH } from './summary.ts'

interface UnsubscribeDeps {
  db: Db
  limits: PublicLimits
  renderPage: (state: SummaryPageState) => string
}

/**
 * The link that ends the summary of the week, without a sign-in. Mail programs open links to look for malware, so a GET only
 * shows a button. The button posts, and so does the mail program itself (RFC 8058).
 */
export function registerUnsubscribe(app: FastifyInstance, { db, limits, renderPage }: UnsubscribeDeps): void {
  const show = (reply: FastifyReply, status: number, state: SummaryPageState) =>
    reply
      .code(status)
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .type('text/html; charset=utf-8')
      .send(renderPage(state))
  const personOf = ({ query }: FastifyRequest) =>
    readUnsubscribeCode(db, String((query as { codigo?: unknown }).codigo ?? ''))

  app.register(async (scope) => {
    // A form or a multipart form with one field that says nothing new: the code in the address decides.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'string', bodyLimit: BODY_BYTES.unsubscribe },
      async () => null,
    )

    scope.get(UNSUBSCRIBE_PATH, async (request, reply) => {
      limitPublicCall(limits, request, 'unsubscribe')
      const isGenuine = (await personOf(request)) !== null
      return show(reply, isGenuine ? 200 : 404, isGenuine ? 'ask' : 'unknown')
    })

    scope.post(UNSUBSCRIBE_PATH, { bodyLimit: BODY_BYTES.unsubscribe }, async (request, reply) => {
      limitPublicCall(limits, request, 'unsubscribe')
      const userId = await personOf(request)
      if (userId === null) return show(reply, 404, 'unknown')
      await change(db, (trx) => storeSummaryChoice(trx, userId, false))
      return show(reply, 200, 'done')
    })
  })
}
