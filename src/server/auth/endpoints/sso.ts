import type { FastifyInstance } from 'fastify'
import { authError } from '../protocol/auth-error.ts'

/** Not offered; the protocol has its own way of saying so. */
export function registerSso(scope: FastifyInstance): void {
  scope.post('/sso', { config: { keyless: true } }, async () => {
    throw authError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')
  })
}
