import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { authError } from '#server/auth/protocol/auth-error.ts'
import { readQuery } from '#server/auth/protocol/read-body.ts'
import { grantByCode } from './grant-by-code.ts'
import { grantByPassword } from './grant-by-password.ts'
import { grantByRefreshToken } from './grant-by-refresh-token.ts'

/** Answered alike with an API key and without one. */
const GRANTS_OFF = ['id_token', 'web3']

export function registerToken(scope: FastifyInstance, context: AuthContext): void {
  const keyless = (request: FastifyRequest) => GRANTS_OFF.includes(readQuery(request, 'grant_type') ?? '')
  scope.post('/token', { config: { keyless } }, async (request, reply) => {
    switch (readQuery(request, 'grant_type')) {
      case 'password':
        return grantByPassword(context, request, reply)
      case 'refresh_token':
        return grantByRefreshToken(context, request)
      case 'pkce':
        return grantByCode(context, request, reply)
      case 'id_token':
        throw authError(400, 'provider_disabled', 'Provider is not enabled')
      case 'web3':
        throw authError(422, 'web3_provider_disabled', 'Web3 provider is disabled')
      default:
        throw authError(400, 'invalid_credentials', 'unsupported_grant_type')
    }
  })
}
