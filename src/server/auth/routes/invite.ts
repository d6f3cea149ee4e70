import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { recordAudit } from '../../db/audit.ts'
import { SERVICE_ACTOR } from '../admin-users/find-target.ts'
import type { AuthContext } from '../auth-context.ts'
import { emailExists } from '../auth-error.ts'
import { inTransaction } from '../in-transaction.ts'
import { limitOwnMail } from '../one-time/mail-limits.ts'
import { mailTokens } from '../one-time/mail-token.ts'
import { redirectTarget } from '../one-time/redirect-target.ts'
import { document, readBody, readQuery, text } from '../read-body.ts'
import { requireService } from '../require-user.ts'
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
    const user = await inTransaction(db, async (trx) => {
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
    mail.later(() => mailTokens(context, { user, kinds: ['invite'], redirectTo, cause: 'themselves' }))
    return toUserObject({ ...user, factors: [] })
  })
}
