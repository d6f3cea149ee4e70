import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { clientAddress } from '#server/http/client-address.ts'
import type { AuthContext } from '../auth-context.ts'
import { mailBehindAnswer } from '../mail/mail-behind-answer.ts'
import { composeTokenMails } from '../one-time-tokens/compose-token-mails.ts'
import { challengeFields, readLinkTarget } from '../one-time-tokens/link-target.ts'
import { readBody, text } from '../protocol/read-body.ts'
import { checkKnownEmail } from '../users/check-email.ts'

const body = z.object({ email: text, ...challengeFields })

/** "Esqueci minha senha". Whether anybody has that address is found out behind the answer. */
export function registerRecover(scope: FastifyInstance, context: AuthContext): void {
  scope.post('/recover', async (request) => {
    const input = readBody(body, request)
    const email = checkKnownEmail(input.email)
    const target = readLinkTarget(context, request, input)
    const askedFrom = clientAddress(request)
    return mailBehindAnswer(context, request, { operation: 'recover', email }, (user) =>
      composeTokenMails(context, { user, kinds: ['recovery'], ...target, cause: 'anybody', askedFrom }),
    )
  })
}
