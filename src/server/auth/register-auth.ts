import type { FastifyInstance } from 'fastify'
import { guardApi } from '../http/api-guard.ts'
import { BODY_BYTES } from '../http/limits.ts'
import { sweepRegularly } from '../http/sweep-regularly.ts'
import { requireApiKey } from './access/require-api-key.ts'
import type { AuthContext } from './auth-context.ts'
import { registerGenerateLink } from './endpoints/admin/generate-link.ts'
import { registerAdminUsers } from './endpoints/admin/users/register-admin-users.ts'
import { registerAuthorize } from './endpoints/authorize.ts'
import { registerFactors } from './endpoints/factors/register-factors.ts'
import { registerHealth } from './endpoints/health.ts'
import { registerInvite } from './endpoints/invite.ts'
import { registerLogout } from './endpoints/logout.ts'
import { registerOtp } from './endpoints/otp.ts'
import { registerPasskeys } from './endpoints/passkeys/register-passkeys.ts'
import { registerReauthenticate } from './endpoints/reauthenticate.ts'
import { registerRecover } from './endpoints/recover.ts'
import { registerResend } from './endpoints/resend.ts'
import { registerSettings } from './endpoints/settings.ts'
import { registerSignup } from './endpoints/signup.ts'
import { registerSso } from './endpoints/sso.ts'
import { registerToken } from './endpoints/token/token.ts'
import { registerGetUser } from './endpoints/user/get-user.ts'
import { registerIdentities } from './endpoints/user/identities.ts'
import { registerUpdateUser } from './endpoints/user/update-user.ts'
import { registerVerify } from './endpoints/verify/verify.ts'
import { registerVerifyLink } from './endpoints/verify/verify-link.ts'
import { registerJwks } from './endpoints/well-known/jwks.ts'
import { renderAuthErrors } from './protocol/auth-error-handler.ts'
import { sweepExpired } from './sessions/sweep-expired.ts'

/** The auth service at `/auth/v1`, with its own guard, errors and keys. */
export async function registerAuth(app: FastifyInstance, context: AuthContext): Promise<void> {
  await app.register(
    async (scope) => {
      renderAuthErrors(scope)
      limitBodies(scope)
      guardApi(scope, { origins: context.origins })
      requireApiKey(scope, context)
      registerJwks(scope, context)
      registerSettings(scope, context)
      registerHealth(scope)
      registerToken(scope, context)
      registerSignup(scope, context)
      registerLogout(scope, context)
      registerGetUser(scope, context)
      registerUpdateUser(scope, context)
      registerRecover(scope, context)
      registerOtp(scope, context)
      registerResend(scope, context)
      registerReauthenticate(scope, context)
      registerVerify(scope, context)
      registerVerifyLink(scope, context)
      registerFactors(scope, context)
      registerPasskeys(scope, context)
      registerInvite(scope, context)
      registerGenerateLink(scope, context)
      registerAdminUsers(scope, context)
      registerIdentities(scope)
      registerSso(scope)
      registerAuthorize(scope)
    },
    { prefix: '/auth/v1' },
  )
  sweepRegularly(app, 'expired logins', (signal) => sweepExpired(context.db, signal))
  app.addHook('onClose', () => context.mail.close())
}

const WITH_METADATA = /\/(?:signup|otp|user|invite|admin\/users(?:\/:id)?|admin\/generate_link)\/?$/
const WITH_KEY = /\/(?:passkeys\/\w+|factors\/:id)\/verify$/

/** Before the routes: each learns how much it reads. */
function limitBodies(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    if (WITH_METADATA.test(route.url)) route.bodyLimit = BODY_BYTES.authMetadata
    else route.bodyLimit = WITH_KEY.test(route.url) ? BODY_BYTES.authKey : BODY_BYTES.auth
  })
}
