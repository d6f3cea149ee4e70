import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '../auth-context.ts'
import { limitOwnMail } from '../one-time/mail-limits.ts'
import { mailTokens } from '../one-time/mail-token.ts'
import { requireUser } from '../require-user.ts'

/** Mails the code that a change of password asks for when the person signed in long ago. */
export function registerReauthenticate(scope: FastifyInstance, context: AuthContext): void {
  scope.get('/reauthenticate', async (request) => {
    const { user } = await requireUser(context, request)
    await limitOwnMail(context.db, 'reauthentication', user.id)
    context.mail.later(() => mailTokens(context, { user, kinds: ['reauthentication'], cause: 'themselves' }))
    return {}
  })
}
