import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { CONSENT_COOKIE, parseConsent, RECEIPT_PATH } from '#contract/consent-choice.ts'
import { consentCode } from '#contract/consent-code.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/app-error.ts'
import { guardPublicPost, type PublicGuard } from '../http/guard-public-post.ts'
import { readCookie } from '../http/read-cookie.ts'
import { makeReceipt } from './file/make-receipt.ts'

/**
 * The visitor's own receipt. Whose it is, the cookie says, and only by the whole random id: the code that people read is
 * no key to anything.
 */
export function registerReceipt(app: FastifyInstance, { db, guard }: { db: Db; guard: PublicGuard }): void {
  app.get(RECEIPT_PATH, async (request, reply) => {
    guardPublicPost(guard, request, 'receipt')
    const id = parseConsent(readCookie(request.headers.cookie, CONSENT_COOKIE) ?? '')?.id
    const receipt = id === undefined ? null : await makeReceipt(db, guard.siteUrl, id)
    if (id === undefined || receipt === null)
      throw new AppError(404, 'not_found', 'Não há registro de uma escolha deste navegador.')
    return reply
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="comprovante-${consentCode(id)}.json"`)
      .type('application/ld+json; charset=utf-8')
      .send(Readable.from(receipt))
  })
}
