import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SEALS_PATH, type SealConsistency, type SealPage } from '#contract/consent.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/app-error.ts'
import { limitPublicCall, type PublicGuard } from '../http/guard-public-post.ts'
import { canonicalHash } from './canonical.ts'
import { findSeal } from './find-seal.ts'
import { listSeals } from './list-seals.ts'
import { readNotices } from './read-notices.ts'
import { TreeReader } from './tree/tree-reader.ts'

const PAGE_SEALS = 100
/** The newest page changes once a minute; what lies before a seal never does. */
const NEWEST = 'public, max-age=30'
const FOREVER = 'public, max-age=31536000, immutable'

/** Whoever notes a seal today can show tomorrow that nothing before it was changed. */
export function registerSeals(app: FastifyInstance, { db, guard }: { db: Db; guard: PublicGuard }): void {
  app.get(SEALS_PATH, async (request, reply) => {
    limitPublicCall(guard.limits, request, 'seals')
    const before = readNumber(request, 'before')
    const seals = await listSeals(db, { before, limit: PAGE_SEALS })
    const oldest = seals.at(-1)?.sequence ?? 1
    const isSettled = before !== undefined && seals[0]?.sequence === before - 1
    const page: SealPage = {
      site: guard.siteUrl,
      seals,
      next: oldest > 1 ? `${SEALS_PATH}?before=${oldest}` : null,
    }
    if (before === undefined)
      page.notices = (await readNotices(db)).map(({ version, hash, first_served_at }) => ({
        version,
        hash,
        first_served_at,
      }))
    return send(request, reply, page, isSettled ? FOREVER : NEWEST)
  })

  app.get(`${SEALS_PATH}/consistency`, async (request, reply) => {
    limitPublicCall(guard.limits, request, 'seals')
    const [from, to] = [readNumber(request, 'first'), readNumber(request, 'second')]
    if (from === undefined || to === undefined || from > to) throw badRequest()
    const [first, second] = [await findSeal(db, from), await findSeal(db, to)]
    if (first === undefined || second === undefined)
      throw new AppError(404, 'not_found', 'There is no such seal')
    const hashes = await new TreeReader(db).proveConsistency(first.tree_size, second.tree_size)
    const proof: SealConsistency = { first, second, hashes }
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
  return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(body)
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
