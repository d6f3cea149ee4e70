import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '#server/auth/auth-context.ts'

/** The keys with which anyone can check our tokens: the one that signs, and a former one that still counts. */
export function registerJwks(scope: FastifyInstance, { keys }: AuthContext): void {
  scope.get('/.well-known/jwks.json', { config: { keyless: true } }, async (_request, reply) => {
    const { signer } = await keys.current()
    return reply.header('cache-control', 'public, max-age=600').send({ keys: signer.publicJwks() })
  })
}
