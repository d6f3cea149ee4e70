import type { FastifyRequest } from 'fastify'
import { isUuid } from '#contract/uuid.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { authError, validationFailed } from '#server/auth/protocol/auth-error.ts'
import { findUserById } from '#server/auth/users/find-user.ts'
import type { UserRow } from '#server/auth/users/user-object.ts'

export const SERVICE_ACTOR = { actor_id: null, actor: 'service key' }

/** The user that the path names. */
export async function findTarget({ db }: AuthContext, request: FastifyRequest): Promise<UserRow> {
  const { id } = request.params as { id: string }
  if (!isUuid(id)) throw validationFailed('user_id must be an UUID', 404)
  const user = await findUserById(db, id.toLowerCase())
  if (user === undefined) throw authError(404, 'user_not_found', 'User not found')
  return user
}
