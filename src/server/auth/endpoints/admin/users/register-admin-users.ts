import type { FastifyInstance } from 'fastify'
import { requireService } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { registerCreateUser } from './create-user.ts'
import { registerDeleteUser } from './delete-user.ts'
import { registerListUsers } from './list-users.ts'
import { registerReadUser } from './read-user.ts'
import { registerUpdateUserById } from './update-user-by-id.ts'
import { registerUserFactors } from './user-factors.ts'
import { registerUserPasskeys } from './user-passkeys.ts'

/** `/admin/users`: the service key and nothing else. */
export function registerAdminUsers(parent: FastifyInstance, context: AuthContext): void {
  parent.register(
    async (scope) => {
      scope.addHook('onRequest', async (request) => requireService(context, request))
      registerListUsers(scope, context)
      registerCreateUser(scope, context)
      registerReadUser(scope, context)
      registerUpdateUserById(scope, context)
      registerDeleteUser(scope, context)
      registerUserFactors(scope, context)
      registerUserPasskeys(scope, context)
    },
    { prefix: '/admin/users' },
  )
}
