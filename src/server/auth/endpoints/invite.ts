import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { requireService } from '../access/require-user.ts'
import type { AuthContext } from '../auth-context.ts'
import { limitOwnMail } from '../mail/mail-limits.ts'
import { composeTokenMails } from '../one-time-tokens/compose-token-mails.ts'
import { redirectTarget } from '../one-time-tokens/redirect-target.ts'
import { emailExists } from '../protocol/auth-error.ts'
import { document, readBody, readQuery, text } from '../protocol/read-body.ts'
import { SERVICE_ACTOR } from '../users/change-account.ts'
import { checkEmail } from '../users/check-email.ts'
import { insertUser } from '../users/insert-user.ts'
import { toUserObject } from '../users/user-object.ts'

const body = z.object({ email: text, data: document })

/** With the service key: an account without a password, whose owner makes one from the mail. */
export function registerInvite(scope: FastifyInstance, context: AuthContext): void {
  const { db, mail, origins } = context
  scope.post('/invite', async (request) => {
    await requireService(context, request)
    const { email: given, data } = readBody(body, request)
    const email = checkEmail(given)
    const redirectTo = redirectTarget(origins, readQuery(request, 'redirect_to'))
    await limitOwnMail(db, 'invite', email)
    const user = await change(db, async (trx) => {
      const row = await insertUser(trx, {
        email,
        passwordHash: null,
        confirmed: false,
        isInvited: true,
        userMetadata: data ?? {},
      })
      if (row === null) throw emailExists()
      await recordAudit(trx, { ...SERVICE_ACTOR, action: 'user.invited', subject: row.id, after: { email } })
      return row
    })
    mail.later(() => composeTokenMails(context, { user, kinds: ['invite'], redirectTo, cause: 'themselves' }))
    return toUserObject({ ...user, factors: [] })
  })
}
