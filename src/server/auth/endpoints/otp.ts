import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { change } from '#server/db/transactions/change.ts'
import { limitOwnMail, mailBehindAnswer, mailTokens } from '../account-mail.ts'
import { checkEmail, checkKnownEmail } from '../accounts/rules.ts'
import { requireUser } from '../caller.ts'
import type { AuthContext } from '../context.ts'
import { challengeFields, readDashboardTarget, readLinkTarget } from '../one-time-tokens/redirects.ts'
import { authError, document, readBody, text, validationFailed } from '../protocol.ts'

const otpBody = z.object({
  email: text,
  phone: text,
  data: document,
  ...challengeFields,
  create_user: z.pipe(
    z.nullish(z.boolean()),
    z.transform((value) => value ?? true),
  ),
})

/**
 * Emails a link or code instead of a password. The protocol refuses an unknown address, which reveals who has an
 * account; here every address gets the same response, and only one with an account, or one that may get one, gets an
 * email.
 */
export function registerOtp(scope: FastifyInstance, context: AuthContext): void {
  const { config } = context
  scope.post('/otp', async (request) => {
    const input = readBody(otpBody, request)
    if (input.email === '' && input.phone !== '')
      throw authError(400, 'phone_provider_disabled', 'Unsupported phone provider')
    const email = checkEmail(input.email)
    const target = readLinkTarget(context, request, input)
    const mayCreate = input.create_user && config.auth.signup === 'open'
    const newAccount = mayCreate ? { metadata: input.data ?? {} } : null
    return mailBehindAnswer(context, request, { operation: 'otp', email, target, newAccount })
  })
}

/** Emails the code that replaces the current password when a new one is set. */
export function registerReauthenticate(scope: FastifyInstance, context: AuthContext): void {
  scope.get('/reauthenticate', async (request) => {
    const { user } = await requireUser(context, request)
    await limitOwnMail(context.db, 'reauthentication', user.id)
    await change(context.db, (trx) =>
      mailTokens(context, trx, { userId: user.id, kinds: ['reauthentication'] }),
    )
    return {}
  })
}

const recoverBody = z.object({ email: text, ...challengeFields })

/** "Esqueci minha senha". The account is looked up after the response. */
export function registerRecover(scope: FastifyInstance, context: AuthContext): void {
  scope.post('/recover', async (request) => {
    const input = readBody(recoverBody, request)
    const email = checkKnownEmail(input.email)
    const target = readLinkTarget(context, request, input)
    return mailBehindAnswer(context, request, { operation: 'recover', email, target })
  })
}

const body = z.object({ type: text, email: text, ...challengeFields })

const PHONE_TYPES = ['sms', 'phone_change']

const TYPES = ['signup', 'email_change']

export function registerResend(scope: FastifyInstance, context: AuthContext): void {
  scope.post('/resend', async (request) => {
    const { type, email: given, ...challenge } = readBody(body, request)
    if (PHONE_TYPES.includes(type))
      throw authError(400, 'phone_provider_disabled', 'Unsupported phone provider')
    if (!TYPES.includes(type))
      throw validationFailed('Missing one of these types: signup, email_change, sms, phone_change')
    if (given === '') throw validationFailed('Type provided requires an email address')
    const email = checkKnownEmail(given)
    if (type === 'signup') {
      const target = readLinkTarget(context, request, challenge)
      return mailBehindAnswer(context, request, { operation: 'resend:signup', email, target })
    }
    // A change of address needs two mailboxes, so there is no session that a code could stand for.
    const redirectTo = readDashboardTarget(context, request)
    const target = { redirectTo, codeChallenge: null }
    return mailBehindAnswer(context, request, { operation: 'resend:email_change', email, target })
  })
}
