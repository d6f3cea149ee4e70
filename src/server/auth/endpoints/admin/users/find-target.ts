import type { FastifyRequest } from 'fastify'
import { isUuid } from '#contract/uuid.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { validationFailed } from '#server/auth/protocol/auth-error.ts'
import { readAccount } from '#server/auth/users/change-account.ts'
import type { UserRow } from '#server/auth/users/user-object.ts'

/** The id of the user that the path names. */
export function readTargetId(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  if (!isUuid(id)) throw validationFailed('user_id must be an UUID', 404)
  return id.toLowerCase()
}

export async function findTarget({ db }: AuthContext, request: FastifyRequest): Promise<UserRow> {
  return (await readAccount(db, { userId: readTargetId(request) })).user
}
