import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '#server/auth/auth-context.ts'

/** The key with which anyone can check our tokens. */
export function registerJwks(scope: FastifyInstance, { keys }: AuthContext): void {
  scope.get('/.well-known/jwks.json', { config: { keyless: true } }, async (_request, reply) => {
    const { signer } = await keys.current()
    return reply.header('cache-control', 'public, max-age=600').send({ keys: [signer.key.publicJwk] })
  })
}
