import type { FastifyRequest } from 'fastify'
import { isUuid } from '#contract/uuid.ts'
import { authError, validationFailed } from '#server/auth/protocol/auth-error.ts'
import type { FactorRow } from '#server/auth/users/user-object.ts'
import type { Db } from '#server/db/database.ts'

export function readFactorId(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  if (!isUuid(id)) throw validationFailed('factor_id must be an UUID', 404)
  return id.toLowerCase()
}

/** The factor that the path names, if it is this person's. */
export async function findOwnFactor(db: Db, request: FastifyRequest, userId: string): Promise<FactorRow> {
  const factor = await db
    .selectFrom('auth_factors')
    .selectAll()
    .where('id', '=', readFactorId(request))
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (factor === undefined) throw authError(404, 'mfa_factor_not_found', 'Factor not found')
  return factor
}
