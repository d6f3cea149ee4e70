import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CHECKPOINTS_PATH, type CheckpointConsistency, type CheckpointPage } from '#contract/consent.ts'
import { CONSENT_COOKIE, parseConsent, RECEIPT_PATH } from '#contract/consent-choice.ts'
import type { Db } from '../db/database.ts'
import { sweepRegularly } from '../db/sweep.ts'
import { AppError } from '../http/errors.ts'
import { guardPublicPost, limitPublicCall, type PublicGuard } from '../http/limits/public.ts'
import type { Logger } from '../http/logging/logger.ts'
import { readCookie } from '../http/requests.ts'
import { matchesEtag } from '../http/static/responses.ts'
import { CheckpointWorker, findCheckpoint, listCheckpoints } from './checkpoints.ts'
import { type ConsentNotices, readNotices } from './notice.ts'
import { canonicalHash } from './proof/canonical.ts'
import { makeReceipt } from './proof/export.ts'
import { TreeReader } from './proof/merkle-store.ts'
import { consentCode, eraseRecords } from './records.ts'

interface ConsentProofDeps {
  db: Db
  log: Logger
  guard: PublicGuard
  retention: { readonly consentDays: number }
  notices: ConsentNotices
}

/** Public routes of consent proof, and the worker that makes checkpoints and erases records. */
export function registerConsentProof(
  app: FastifyInstance,
  { db, log, guard, retention, notices }: ConsentProofDeps,
): void {
  registerCheckpoints(app, { db, guard })
  registerReceipt(app, { db, guard })
  sweepRegularly(app, 'consent records', (signal) => eraseRecords(db, retention, signal))
  sweepRegularly(app, 'recipients that no consent record names', (signal) => notices.sweepRecipients(signal))
  const worker = new CheckpointWorker({ db, log, before: () => notices.storeOwed() })
  app.addHook('onListen', async () => worker.start())
  app.addHook('onClose', () => worker.stop())
}

const PAGE_CHECKPOINTS = 100

/** The newest page changes every minute; pages before a checkpoint never change. */
const NEWEST = 'public, max-age=30'

const FOREVER = 'public, max-age=31536000, immutable'

/** Whoever saves a checkpoint today can show later that nothing before it was changed. */
function registerCheckpoints(app: FastifyInstance, { db, guard }: { db: Db; guard: PublicGuard }): void {
  app.get(CHECKPOINTS_PATH, async (request, reply) => {
    limitPublicCall(guard.limits, request, 'seals')
    const before = readNumber(request, 'before')
    const checkpoints = await listCheckpoints(db, { before, limit: PAGE_CHECKPOINTS })
    const oldest = checkpoints.at(-1)?.sequence ?? 1
    const isSettled = before !== undefined && checkpoints[0]?.sequence === before - 1
    const page: CheckpointPage = {
      site: guard.siteUrl,
      seals: checkpoints,
      next: oldest > 1 ? `${CHECKPOINTS_PATH}?before=${oldest}` : null,
    }
    if (before === undefined)
      page.notices = (await readNotices(db)).map(({ version, hash, first_served_at }) => ({
        version,
        hash,
        first_served_at,
      }))
    return send(request, reply, page, isSettled ? FOREVER : NEWEST)
  })

  app.get(`${CHECKPOINTS_PATH}/consistency`, async (request, reply) => {
    limitPublicCall(guard.limits, request, 'seals')
    const [from, to] = [readNumber(request, 'first'), readNumber(request, 'second')]
    if (from === undefined || to === undefined || from > to) throw badRequest()
    const [first, second] = [await findCheckpoint(db, from), await findCheckpoint(db, to)]
    if (first === undefined || second === undefined)
      throw new AppError(404, 'not_found', 'There is no such seal')
    const hashes = await new TreeReader(db).proveConsistency(first.tree_size, second.tree_size)
    const proof: CheckpointConsistency = { first, second, hashes }
    return send(request, reply, proof, FOREVER)
  })
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  body: object,
  cacheControl: string,
): FastifyReply {
  const etag = `"${canonicalHash(body).slice(0, 22)}"`
  reply.header('cache-control', cacheControl).header('etag', etag)
  return matchesEtag(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(body)
}

function readNumber(request: FastifyRequest, name: string): number | undefined {
  const value = (request.query as Record<string, unknown>)[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !/^[1-9]\d{0,8}$/.test(value)) throw badRequest()
  return Number(value)
}

function badRequest(): AppError {
  return new AppError(400, 'bad_request', 'Seals are named by their numbers')
}

/**
 * The visitor's own receipt. It needs the whole random id from the cookie: the short code that people see grants
 * nothing.
 */
function registerReceipt(app: FastifyInstance, { db, guard }: { db: Db; guard: PublicGuard }): void {
  app.get(RECEIPT_PATH, async (request, reply) => {
    guardPublicPost(guard, request, 'receipt')
    const id = parseConsent(readCookie(request.headers.cookie, CONSENT_COOKIE) ?? '')?.id
    const receipt = id === undefined ? null : await makeReceipt(db, guard.siteUrl, id)
    if (id === undefined || receipt === null)
      throw new AppError(
        404,
        'not_found',
        'Não há escolha de cookies registrada neste navegador. Faça sua escolha em Preferências de cookies e tente novamente.',
      )
    return reply
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="comprovante-${consentCode(id)}.json"`)
      .type('application/ld+json; charset=utf-8')
      .send(Readable.from(receipt))
  })
}
