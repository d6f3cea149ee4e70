import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { deleteTokens } from '#server/auth/one-time-tokens/delete-tokens.ts'
import { refuseChangeOfPrincipal } from '#server/auth/principal/refuse-on-principal.ts'
import { authError } from '#server/auth/protocol/auth-error.ts'
import { readBody, toJson } from '#server/auth/protocol/read-body.ts'
import { endSessions } from '#server/auth/sessions/end-sessions.ts'
import { refuseTakenEmail } from '#server/auth/users/accounts.ts'
import { auditedUser } from '#server/auth/users/audit-user.ts'
import { checkEmail } from '#server/auth/users/check-email.ts'
import { withFactors } from '#server/auth/users/find-user.ts'
import { lockUser } from '#server/auth/users/lock-user.ts'
import { mergeMetadata } from '#server/auth/users/merge-metadata.ts'
import { toUserObject } from '#server/auth/users/user-object.ts'
import { deletePasskeys } from '#server/auth/webauthn/delete-passkeys.ts'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { findTarget, SERVICE_ACTOR } from './find-target.ts'
import { readBan, readPasswordHash, readRole, userInput } from './user-input.ts'

export function registerUpdateUserById(scope: FastifyInstance, context: AuthContext): void {
  const { db, config } = context
  scope.put('/:id', async (request) => {
    const input = readBody(userInput, request)
    const user = await findTarget(context, request)
    const email = input.email === '' ? user.email : checkEmail(input.email, user.email)
    const changesEmail = email !== user.email
    const tokenRole = readRole(input.role)
    const bannedUntil = readBan(input.ban_duration)
    if (changesEmail || bannedUntil != null) refuseChangeOfPrincipal(config, user.email)
    const passwordHash = await readPasswordHash(context, input, email)
    const now = new Date().toISOString()
    const confirms = input.email_confirm && user.email_confirmed_at === null
    const updated = await change(db, async (trx) => {
      const current = await lockUser(trx, user.id)
      if (current === undefined) throw authError(404, 'user_not_found', 'User not found')
      if (changesEmail) await refuseTakenEmail(trx, user.id, email)
      const row = await trx
        .updateTable('auth_users')
        .set({
          email,
          updated_at: now,
          user_metadata: toJson(mergeMetadata(current.user_metadata, input.user_metadata ?? {})),
          app_metadata: toJson(mergeMetadata(current.app_metadata, input.app_metadata ?? {})),
          ...(confirms ? { email_confirmed_at: now } : {}),
          ...(changesEmail || confirms ? { mailbox_proved_at: now } : {}),
          ...(changesEmail ? { new_email: null } : {}),
          ...(passwordHash === null ? {} : { password_hash: passwordHash }),
          ...(tokenRole === undefined ? {} : { token_role: tokenRole }),
          ...(bannedUntil === undefined ? {} : { banned_until: bannedUntil }),
        })
        .where('id', '=', user.id)
        .returningAll()
        .executeTakeFirstOrThrow()
      if (passwordHash !== null) await deletePasskeys(trx, user.id)
      if (changesEmail || passwordHash !== null) {
        await endSessions(trx, user.id)
        await deleteTokens(trx, user.id)
      }
      await recordAudit(trx, {
        ...SERVICE_ACTOR,
        action: passwordHash === null ? 'user.updated' : 'user.password_changed',
        subject: user.id,
        before: auditedUser(current),
        after: auditedUser(row),
      })
      return row
    })
    if (passwordHash !== null) sendNotice(context, { user, kind: 'password', by: 'administrator' })
    if (changesEmail) sendNotice(context, { user, kind: 'email', by: 'administrator' })
    return toUserObject(await withFactors(db, updated))
  })
}
