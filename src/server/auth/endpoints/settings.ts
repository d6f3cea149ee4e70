import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '../auth-context.ts'

const PROVIDERS_OFF = ['apple', 'azure', 'facebook', 'github', 'gitlab', 'google', 'linkedin', 'twitter']

/** Which ways in this service offers. */
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
