import type { FastifyInstance } from 'fastify'

export function registerHealth(scope: FastifyInstance): void {
  scope.get('/health', { config: { keyless: true } }, async () => ({
    version: '1',
    name: 'portico-auth',
    description: 'Auth service of a Pórtico site',
  }))
}
