import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '../context.ts'
import { authError, validationFailed } from '../protocol.ts'

/** Sign-in with other providers is not offered; this is the protocol's error for it. */
export function registerAuthorize(scope: FastifyInstance): void {
  scope.get(
    '/authorize',
    { config: { keyless: true, navigable: true }, exposeHeadRoute: false },
    async () => {
      throw validationFailed('Unsupported provider: provider is not enabled')
    },
  )
}

export function registerHealth(scope: FastifyInstance): void {
  scope.get('/health', { config: { keyless: true } }, async () => ({
    version: '1',
    name: 'portico-auth',
    description: 'Auth service of a Pórtico site',
  }))
}

const PROVIDERS_OFF = ['apple', 'azure', 'facebook', 'github', 'gitlab', 'google', 'linkedin', 'twitter']

/** Which sign-in methods are offered. */
export function registerSettings(scope: FastifyInstance, { config }: AuthContext): void {
  scope.get('/settings', async () => ({
    external: {
      email: true,
      phone: false,
      anonymous_users: false,
      ...Object.fromEntries(PROVIDERS_OFF.map((provider) => [provider, false])),
    },
    disable_signup: config.auth.signup === 'closed',
    mailer_autoconfirm: true,
    phone_autoconfirm: false,
    sms_provider: '',
    saml_enabled: false,
  }))
}

/** Not offered; this is the protocol's error for it. */
export function registerSso(scope: FastifyInstance): void {
  scope.post('/sso', { config: { keyless: true } }, async () => {
    throw authError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')
  })
}

/** Not offered; this is the protocol's error for it. */
export function registerIdentities(scope: FastifyInstance): void {
  const refuse = async () => {
    throw authError(404, 'manual_linking_disabled', 'Manual linking is disabled')
  }
  scope.get('/user/identities/authorize', refuse)
  scope.delete('/user/identities/:id', refuse)
}

/** The public keys that verify our tokens: the current one and former ones that are still valid. */
export function registerJwks(scope: FastifyInstance, { keys }: AuthContext): void {
  scope.get('/.well-known/jwks.json', { config: { keyless: true } }, async (_request, reply) => {
    const { signer } = await keys.current()
    return reply.header('cache-control', 'public, max-age=600').send({ keys: signer.publicJwks() })
  })
}
