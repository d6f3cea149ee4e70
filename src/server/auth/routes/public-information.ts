import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '../auth-context.ts'

const PROVIDERS_OFF = ['apple', 'azure', 'facebook', 'github', 'gitlab', 'google', 'linkedin', 'twitter']

/** What anyone may know: the key set, the settings, and that the service answers. */
export function registerPublicInformation(scope: FastifyInstance, { config, keys }: AuthContext): void {
  scope.get('/.well-known/jwks.json', { config: { keyless: true } }, async (_request, reply) => {
    const { signer } = await keys.current()
    return reply.header('cache-control', 'public, max-age=600').send({ keys: [signer.key.publicJwk] })
  })
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
  scope.get('/health', { config: { keyless: true } }, async () => ({
    version: '1',
    name: 'portico-auth',
    description: 'Auth service of a Pórtico site',
  }))
}
