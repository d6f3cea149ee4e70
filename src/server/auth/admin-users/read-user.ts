import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '../auth-context.ts'
import { withFactors } from '../users/find-user.ts'
import { toUserObject } from '../users/user-object.ts'
import { findTarget } from './find-target.ts'

export function registerReadUser(scope: FastifyInstance, context: AuthContext): void {
  scope.get('/:id', async (request) =>
    toUserObject(await withFactors(context.db, await findTarget(context, request))),
  )
}
