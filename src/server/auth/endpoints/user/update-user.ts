import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { requireUser, type SessionRow } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { composeTokenMails } from '#server/auth/one-time-tokens/compose-token-mails.ts'
import { deleteTokens } from '#server/auth/one-time-tokens/delete-tokens.ts'
import { redirectTarget } from '#server/auth/one-time-tokens/redirect-target.ts'
import { seatOf } from '#server/auth/passwords/password-hasher.ts'
import { authError } from '#server/auth/protocol/auth-error.ts'
import { limitByPerson } from '#server/auth/protocol/limit-calls.ts'
import { document, readBody, readQuery, text, toJson } from '#server/auth/protocol/read-body.ts'
import { endOtherSessions } from '#server/auth/sessions/end-sessions.ts'
import { checkEmail } from '#server/auth/users/check-email.ts'
import { withFactors } from '#server/auth/users/find-user.ts'
import { lockUser } from '#server/auth/users/lock-user.ts'
import { mergeMetadata } from '#server/auth/users/merge-metadata.ts'
import { toUserObject, type UserRow, type UserWithFactors } from '#server/auth/users/user-object.ts'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { clientAddress } from '#server/http/client-address.ts'
import { prepareEmailChange } from './prepare-email-change.ts'
import { prepareNewPassword } from './prepare-new-password.ts'
import { requireSecondFactor } from './require-second-factor.ts'

const body = z.object({
  email: text,
  phone: text,
  password: text,
  current_password: text,
  nonce: text,
  data: document,
})

/** A person's own account. A new address waits in `new_email` until it is confirmed. */
export function registerUpdateUser(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.put('/user', async (request) => {
    const input = readBody(body, request)
    const { user: row, session } = await requireUser(context, request)
    if (input.phone !== '') throw authError(400, 'phone_provider_disabled', 'Unsupported phone provider')
    const user = await withFactors(db, row)
    const newEmail = input.email === '' ? user.email : checkEmail(input.email, user.email)
    const changesEmail = newEmail !== user.email
    if (changesEmail || input.password !== '') {
      limitByPerson(context, 'update-user', user.id)
      requireSecondFactor(user, session)
    }
    if (changesEmail) await prepareEmailChange(context, user, newEmail)
    const seat = seatOf(clientAddress(request), false)
    const passwordHash =
      input.password === '' ? null : await prepareNewPassword(context, { user, session, seat, ...input })
    const now = new Date().toISOString()
    const columns = {
      updated_at: now,
      ...(changesEmail ? { new_email: newEmail, email_change_sent_at: now } : {}),
      ...(passwordHash === null ? {} : { password_hash: passwordHash }),
    }
    const updated = await save(context, { user, session, columns, data: input.data ?? null })
    if (passwordHash !== null) sendNotice(context, { user, kind: 'password', by: 'self' })
    if (changesEmail) {
      const redirectTo = redirectTarget(context.origins, readQuery(request, 'redirect_to'))
      context.mail.later(() =>
        composeTokenMails(context, {
          user: updated,
          kinds: ['email_change_current', 'email_change_new'],
          redirectTo,
          cause: 'themselves',
        }),
      )
    }
    return toUserObject({ ...updated, factors: user.factors })
  })
}

interface ChangedColumns {
  updated_at: string
  new_email?: string
  email_change_sent_at?: string
  password_hash?: string
}

interface Save {
  user: UserWithFactors
  session: SessionRow
  columns: ChangedColumns
  /** Merged into what is there when it is written, not when the call came. */
  data: Record<string, unknown> | null
}

function save({ db }: AuthContext, { user, session, columns, data }: Save): Promise<UserRow> {
  return change(db, async (trx) => {
    const current = data === null ? undefined : await lockUser(trx, user.id)
    const metadata =
      data === null || current === undefined
        ? {}
        : { user_metadata: toJson(mergeMetadata(current.user_metadata, data)) }
    const updated = await trx
      .updateTable('auth_users')
      .set({ ...columns, ...metadata })
      .where('id', '=', user.id)
      .returningAll()
      .executeTakeFirst()
    if (updated === undefined)
      throw authError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
    if (columns.password_hash !== undefined) {
      await endOtherSessions(trx, user.id, session.id)
      await deleteTokens(trx, user.id)
    }
    await recordAudit(trx, {
      actor_id: user.id,
      actor: user.email,
      action: columns.password_hash === undefined ? 'user.updated' : 'user.password_changed',
      subject: user.id,
      ...(columns.new_email === undefined
        ? {}
        : { before: { email: user.email }, after: { new_email: columns.new_email } }),
    })
    return updated
  })
}
