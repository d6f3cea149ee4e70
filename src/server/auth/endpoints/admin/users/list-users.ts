import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { authIssuer } from '#server/auth/keys/key-ring.ts'
import { validationFailed } from '#server/auth/protocol/auth-error.ts'
import { readQuery } from '#server/auth/protocol/read-body.ts'
import { type FactorRow, toUserObject } from '#server/auth/users/user-object.ts'

const MAX_PAGE = 2 ** 31 - 1
const MAX_PER_PAGE = 1000

export function registerListUsers(scope: FastifyInstance, { db, config }: AuthContext): void {
  scope.get('/', async (request, reply) => {
    const page = readNumber(request, 'page', 1, MAX_PAGE)
    const perPage = readNumber(request, 'per_page', 50, MAX_PER_PAGE)
    const { total } = await db
      .selectFrom('auth_users')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    const users = await db
      .selectFrom('auth_users')
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(perPage)
      .offset((page - 1) * perPage)
      .execute()
    const ids = users.map((user) => user.id)
    const factors =
      ids.length === 0
        ? []
        : await db
            .selectFrom('auth_factors')
            .selectAll()
            .where('user_id', 'in', ids)
            .orderBy('created_at')
            .execute()
    const byUser = Map.groupBy(factors, (factor: FactorRow) => factor.user_id)
    return reply
      .header('x-total-count', String(total))
      .header('link', makeLinks(`${authIssuer(config)}/admin/users`, page, perPage, total))
      .send({
        users: users.map((user) => toUserObject({ ...user, factors: byUser.get(user.id) ?? [] })),
        aud: 'authenticated',
      })
  })
}

/** The client sends an empty value for what it does not care about. */
function readNumber(request: FastifyRequest, name: string, fallback: number, max: number): number {
  const value = readQuery(request, name) ?? ''
  if (value === '') return fallback
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
  if (number >= 1 && number <= max) return number
  throw validationFailed(`Bad Pagination Parameters: ${name} must be a whole number from 1 to ${max}`)
}

/** `page` must be the first key of the query: the client reads what follows the first equals sign. */
function makeLinks(url: string, page: number, perPage: number, total: number): string {
  const last = Math.max(1, Math.ceil(total / perPage))
  const link = (target: number, rel: string) => `<${url}?page=${target}&per_page=${perPage}>; rel="${rel}"`
  return [...(page < last ? [link(page + 1, 'next')] : []), link(last, 'last')].join(', ')
}
