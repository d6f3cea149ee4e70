import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '../auth-context.ts'
import { requireUser } from '../require-user.ts'
import { withFactors } from '../users/find-user.ts'
import { toUserObject } from '../users/user-object.ts'

export function registerGetUser(scope: FastifyInstance, context: AuthContext): void {
  scope.get('/user', async (request) => {
    const { user } = await requireUser(context, request)
    return toUserObject(await withFactors(context.db, user))
  })
}
