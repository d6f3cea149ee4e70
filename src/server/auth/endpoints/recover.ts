import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { AuthContext } from '../auth-context.ts'
import { mailBehindAnswer } from '../mail/mail-behind-answer.ts'
import { composeTokenMails } from '../one-time-tokens/compose-token-mails.ts'
import { redirectTarget } from '../one-time-tokens/redirect-target.ts'
import { readBody, readQuery, text } from '../protocol/read-body.ts'
import { checkKnownEmail } from '../users/check-email.ts'

const body = z.object({ email: text })

/** "Esqueci minha senha". Whether anybody has that address is found out behind the answer. */
export function registerRecover(scope: FastifyInstance, context: AuthContext): void {
  const { origins } = context
  scope.post('/recover', async (request) => {
    const email = checkKnownEmail(readBody(body, request).email)
    const redirectTo = redirectTarget(origins, readQuery(request, 'redirect_to'))
    return mailBehindAnswer(context, request, { operation: 'recover', email }, (user) =>
      composeTokenMails(context, { user, kinds: ['recovery'], redirectTo, cause: 'anybody' }),
    )
  })
}
