import type { FastifyInstance } from 'fastify'
import { authError } from '../auth-error.ts'

/** Parts of the protocol that this service does not offer, each with the protocol's own way of saying so. */
export function registerDisabled(scope: FastifyInstance): void {
  const manualLinking = async () => {
    throw authError(404, 'manual_linking_disabled', 'Manual linking is disabled')
  }
  scope.get('/user/identities/authorize', manualLinking)
  scope.delete('/user/identities/:id', manualLinking)
  scope.post('/sso', async () => {
    throw authError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')
  })
}
