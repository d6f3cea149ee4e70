import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { AuthContext } from '../auth-context.ts'
import { mailBehindAnswer } from '../one-time/mail-behind-answer.ts'
import { mailTokens } from '../one-time/mail-token.ts'
import { redirectTarget } from '../one-time/redirect-target.ts'
import { readBody, readQuery, text } from '../read-body.ts'
import { checkKnownEmail } from '../users/check-email.ts'

const body = z.object({ email: text })

/** "Esqueci minha senha". Whether anybody has that address is found out behind the answer. */
export function registerRecover(scope: FastifyInstance, context: AuthContext): void {
  const { origins } = context
  scope.post('/recover', async (request) => {
    const email = checkKnownEmail(readBody(body, request).email)
    const redirectTo = redirectTarget(origins, readQuery(request, 'redirect_to'))
    return mailBehindAnswer(context, request, { operation: 'recover', email }, (user) =>
      mailTokens(context, { user, kinds: ['recovery'], redirectTo, cause: 'anybody' }),
    )
  })
}
