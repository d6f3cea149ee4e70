import type { FastifyInstance } from 'fastify'
import { validationFailed } from '../protocol/auth-error.ts'

/** Where a client sends a browser that signs in elsewhere. No provider is offered; the protocol says so in these words. */
export function registerAuthorize(scope: FastifyInstance): void {
  scope.get(
    '/authorize',
    { config: { keyless: true, navigable: true }, exposeHeadRoute: false },
    async () => {
      throw validationFailed('Unsupported provider: provider is not enabled')
    },
  )
}
