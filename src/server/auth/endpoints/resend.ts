import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { clientAddress } from '#server/http/client-address.ts'
import type { AuthContext } from '../auth-context.ts'
import { mailBehindAnswer } from '../mail/mail-behind-answer.ts'
import { composeTokenMails } from '../one-time-tokens/compose-token-mails.ts'
import { EMAIL_CHANGE_KINDS } from '../one-time-tokens/issue-tokens.ts'
import { challengeFields, readLinkTarget } from '../one-time-tokens/link-target.ts'
import { redirectTarget } from '../one-time-tokens/redirect-target.ts'
import type { TokenKind } from '../one-time-tokens/token-kind.ts'
import { authError, validationFailed } from '../protocol/auth-error.ts'
import { readBody, readQuery, text } from '../protocol/read-body.ts'
import { checkKnownEmail } from '../users/check-email.ts'
import type { UserRow } from '../users/user-object.ts'

const body = z.object({ type: text, email: text, ...challengeFields })

const PHONE_TYPES = ['sms', 'phone_change']
const TYPES = ['signup', 'email_change']

export function registerResend(scope: FastifyInstance, context: AuthContext): void {
  const { origins } = context
  scope.post('/resend', async (request) => {
    const { type, email: given, ...challenge } = readBody(body, request)
    if (PHONE_TYPES.includes(type))
      throw authError(400, 'phone_provider_disabled', 'Unsupported phone provider')
    if (!TYPES.includes(type))
      throw validationFailed('Missing one of these types: signup, email_change, sms, phone_change')
    if (given === '') throw validationFailed('Type provided requires an email address')
    const email = checkKnownEmail(given)
    // A change of address asks two mailboxes, and neither answer alone is a session that a code could stand for.
    const target =
      type === 'signup'
        ? readLinkTarget(context, request, challenge)
        : { redirectTo: redirectTarget(origins, readQuery(request, 'redirect_to')) }
    const askedFrom = clientAddress(request)
    return mailBehindAnswer(context, request, { operation: `resend:${type}`, email }, async (user) => {
      const kinds = kindsToSend(type, user)
      return kinds.length === 0
        ? []
        : composeTokenMails(context, { user, kinds, ...target, cause: 'anybody', askedFrom })
    })
  })
}

function kindsToSend(type: string, user: UserRow): readonly TokenKind[] {
  if (type === 'signup') return user.email_confirmed_at === null ? ['signup'] : []
  return user.new_email === null ? [] : EMAIL_CHANGE_KINDS
}
