import type { FastifyInstance } from 'fastify'
import { guardApi } from '../http/api-guard.ts'
import { sweepRegularly } from '../http/sweep-regularly.ts'
import { registerGenerateLink } from './admin-users/generate-link.ts'
import { registerAdminUsers } from './admin-users/register-admin-users.ts'
import type { AuthContext } from './auth-context.ts'
import { renderAuthErrors } from './auth-error-handler.ts'
import { registerFactors } from './factors/register-factors.ts'
import { requireApiKey } from './require-api-key.ts'
import { registerDisabled } from './routes/disabled.ts'
import { registerGetUser } from './routes/get-user.ts'
import { registerInvite } from './routes/invite.ts'
import { registerLogout } from './routes/logout.ts'
import { registerOtp } from './routes/otp.ts'
import { registerPublicInformation } from './routes/public-information.ts'
import { registerReauthenticate } from './routes/reauthenticate.ts'
import { registerRecover } from './routes/recover.ts'
import { registerResend } from './routes/resend.ts'
import { registerSignUp } from './routes/sign-up.ts'
import { registerToken } from './routes/token.ts'
import { registerUpdateUser } from './routes/update-user.ts'
import { registerVerify } from './routes/verify.ts'
import { registerVerifyLink } from './routes/verify-link.ts'
import { sweepExpired } from './sessions/sweep-expired.ts'

/** The auth service at `/auth/v1`, with its own guard, errors and keys. */
export async function registerAuth(app: FastifyInstance, context: AuthContext): Promise<void> {
  await app.register(
    async (scope) => {
      renderAuthErrors(scope)
      guardApi(scope, { origins: context.origins })
      requireApiKey(scope, context)
      registerPublicInformation(scope, context)
      registerToken(scope, context)
      registerSignUp(scope, context)
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
      registerInvite(scope, context)
      registerGenerateLink(scope, context)
      registerAdminUsers(scope, context)
      registerDisabled(scope)
    },
    { prefix: '/auth/v1' },
  )
  sweepRegularly(app, 'expired logins', (signal) => sweepExpired(context.db, signal))
  app.addHook('onClose', () => context.mail.close())
}
