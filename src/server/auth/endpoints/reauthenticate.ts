import type { FastifyInstance } from 'fastify'
import { requireUser } from '../access/require-user.ts'
import type { AuthContext } from '../auth-context.ts'
import { limitOwnMail } from '../mail/mail-limits.ts'
import { composeTokenMails } from '../one-time-tokens/compose-token-mails.ts'

/** Mails the code that stands for the current password when somebody sets a new one. */
export function registerReauthenticate(scope: FastifyInstance, context: AuthContext): void {
  scope.get('/reauthenticate', async (request) => {
    const { user } = await requireUser(context, request)
    await limitOwnMail(context.db, 'reauthentication', user.id)
    context.mail.later(() =>
      composeTokenMails(context, { user, kinds: ['reauthentication'], cause: 'themselves' }),
    )
    return {}
  })
}
