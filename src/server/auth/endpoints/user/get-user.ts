import type { FastifyInstance } from 'fastify'
import { requireUser } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { withFactors } from '#server/auth/users/find-user.ts'
import { toUserObject } from '#server/auth/users/user-object.ts'

export function registerGetUser(scope: FastifyInstance, context: AuthContext): void {
  scope.get('/user', async (request) => {
    const { user } = await requireUser(context, request)
    return toUserObject(await withFactors(context.db, user))
  })
}
