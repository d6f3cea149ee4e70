import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { withFactors } from '#server/auth/users/find-user.ts'
import { toUserObject } from '#server/auth/users/user-object.ts'
import { findTarget } from './find-target.ts'

export function registerReadUser(scope: FastifyInstance, context: AuthContext): void {
  scope.get('/:id', async (request) =>
    toUserObject(await withFactors(context.db, await findTarget(context, request))),
  )
}
