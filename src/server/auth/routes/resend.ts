import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { AuthContext } from '../auth-context.ts'
import { authError, validationFailed } from '../auth-error.ts'
import type { Kind } from '../one-time/kinds.ts'
import { limitByAddress } from '../one-time/limit-calls.ts'
import { limitMail } from '../one-time/mail-limits.ts'
import { mailTokens } from '../one-time/mail-token.ts'
import { redirectTarget } from '../one-time/redirect-target.ts'
import { readBody, readQuery, text } from '../read-body.ts'
import { checkKnownEmail } from '../users/check-email.ts'
import { findUserByEmail, isShutOut } from '../users/find-user.ts'
import type { UserRow } from '../users/user-object.ts'

const body = z.object({ type: text, email: text })

const PHONE_TYPES = ['sms', 'phone_change']
const TYPES = ['signup', 'email_change']

export function registerResend(scope: FastifyInstance, context: AuthContext): void {
  const { db, mail, origins } = context
  scope.post('/resend', async (request) => {
    const { type, email: given } = readBody(body, request)
    if (PHONE_TYPES.includes(type))
      throw authError(400, 'phone_provider_disabled', 'Unsupported phone provider')
    if (!TYPES.includes(type))
      throw validationFailed('Missing one of these types: signup, email_change, sms, phone_change')
    if (given === '') throw validationFailed('Type provided requires an email address')
    const email = checkKnownEmail(given)
    const redirectTo = redirectTarget(origins, readQuery(request, 'redirect_to'))
    limitByAddress(context, request, 'resend')
    await limitMail(db, type, email)
    mail.later(async () => {
      const user = await findUserByEmail(db, email)
      if (user === undefined || isShutOut(user)) return []
      const kinds = kindsToSend(type, user)
      return kinds.length === 0 ? [] : mailTokens(context, user, kinds, redirectTo)
    })
    return {}
  })
}

function kindsToSend(type: string, user: UserRow): Kind[] {
  if (type === 'signup') return user.email_confirmed_at === null ? ['signup'] : []
  return user.new_email === null ? [] : ['email_change_current', 'email_change_new']
}
