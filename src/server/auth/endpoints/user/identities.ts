import type { FastifyInstance } from 'fastify'
import { authError } from '#server/auth/protocol/auth-error.ts'

/** Not offered; the protocol has its own way of saying so. */
export function registerIdentities(scope: FastifyInstance): void {
  const refuse = async () => {
    throw authError(404, 'manual_linking_disabled', 'Manual linking is disabled')
  }
  scope.get('/user/identities/authorize', refuse)
  scope.delete('/user/identities/:id', refuse)
}
