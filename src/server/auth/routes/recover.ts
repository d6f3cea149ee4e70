import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { AuthContext } from '../auth-context.ts'
import { limitByAddress } from '../one-time/limit-calls.ts'
import { limitMail } from '../one-time/mail-limits.ts'
import { mailTokens } from '../one-time/mail-token.ts'
import { redirectTarget } from '../one-time/redirect-target.ts'
import { readBody, readQuery, text } from '../read-body.ts'
import { checkKnownEmail } from '../users/check-email.ts'
import { findUserByEmail, isShutOut } from '../users/find-user.ts'

const body = z.object({ email: text })

/** "Esqueci minha senha". Whether anybody has that address is found out behind the answer. */
export function registerRecover(scope: FastifyInstance, context: AuthContext): void {
  const { db, mail, origins } = context
  scope.post('/recover', async (request) => {
    const email = checkKnownEmail(readBody(body, request).email)
    const redirectTo = redirectTarget(origins, readQuery(request, 'redirect_to'))
    limitByAddress(context, request, 'recover')
    await limitMail(db, 'recovery', email)
    mail.later(async () => {
      const user = await findUserByEmail(db, email)
      if (user === undefined || isShutOut(user)) return []
      return mailTokens(context, user, ['recovery'], redirectTo)
    })
    return {}
  })
}
