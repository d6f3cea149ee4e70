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
import { checkEmail } from '../users/check-email.ts'
import { insertUser } from '../users/insert-user.ts'
import { toUserObject } from '../users/user-object.ts'
import { SERVICE_ACTOR } from './admin/users/find-target.ts'

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
        userMetadata: data ?? {},
      })
      if (row === null) throw emailExists()
      const invited_at = row.created_at
      await trx.updateTable('auth_users').set({ invited_at }).where('id', '=', row.id).execute()
      await recordAudit(trx, { ...SERVICE_ACTOR, action: 'user.invited', subject: row.id, after: { email } })
      return { ...row, invited_at }
    })
    mail.later(() => composeTokenMails(context, { user, kinds: ['invite'], redirectTo, cause: 'themselves' }))
    return toUserObject({ ...user, factors: [] })
  })
}
