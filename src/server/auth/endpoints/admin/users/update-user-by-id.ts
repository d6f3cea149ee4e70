import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { readBody, toJson } from '#server/auth/protocol/read-body.ts'
import { refuseTakenEmail } from '#server/auth/users/accounts.ts'
import { auditedUser } from '#server/auth/users/audit-user.ts'
import { type AccountState, changeAccount, SERVICE_ACTOR } from '#server/auth/users/change-account.ts'
import { checkEmail } from '#server/auth/users/check-email.ts'
import { mergeMetadata } from '#server/auth/users/merge-metadata.ts'
import { refuseChangeOfPrincipal } from '#server/auth/users/rules.ts'
import { toUserObject } from '#server/auth/users/user-object.ts'
import { readTargetId } from './find-target.ts'
import { readBan, readPasswordHash, readRole, userInput } from './user-input.ts'

export function registerUpdateUserById(scope: FastifyInstance, context: AuthContext): void {
  const { db, config } = context
  scope.put('/:id', async (request) => {
    const input = readBody(userInput, request)
    const tokenRole = readRole(input.role)
    const bannedUntil = readBan(input.ban_duration)
    /** What was not given stays as it is when it is written. */
    const emailFor = ({ user }: AccountState) =>
      input.email === '' ? user.email : checkEmail(input.email, user.email)
    const { before, after, factors, isNewPassword } = await changeAccount(
      db,
      { userId: readTargetId(request), by: SERVICE_ACTOR },
      {
        check: (account) => {
          if (emailFor(account) !== account.user.email || bannedUntil != null)
            refuseChangeOfPrincipal(config, account.user.email)
        },
        prepare: (seen) => readPasswordHash(context, input, emailFor(seen)),
        write: async (account, passwordHash) => {
          const current = account.user
          const email = emailFor(account)
          const changesEmail = email !== current.email
          const confirms = input.email_confirm && current.email_confirmed_at === null
          if (changesEmail) await refuseTakenEmail(account.trx, current.id, email)
          const now = new Date().toISOString()
          const row = await account.update({
            updated_at: now,
            user_metadata: toJson(mergeMetadata(current.user_metadata, input.user_metadata ?? {})),
            app_metadata: toJson(mergeMetadata(current.app_metadata, input.app_metadata ?? {})),
            ...(confirms ? { email_confirmed_at: now } : {}),
            ...(changesEmail || confirms ? { mailbox_proved_at: now } : {}),
            ...(changesEmail ? { email, new_email: null } : {}),
            ...(passwordHash === null ? {} : { password_hash: passwordHash }),
            ...(tokenRole === undefined ? {} : { token_role: tokenRole }),
            ...(bannedUntil === undefined ? {} : { banned_until: bannedUntil }),
          })
          if (passwordHash !== null) await account.revoke('password_by_other')
          else if (changesEmail) await account.revoke('email_or_role')
          await account.audit(passwordHash === null ? 'user.updated' : 'user.password_changed', {
            before: auditedUser(current),
            after: auditedUser(row),
          })
          const { factors } = account
          return { before: current, after: row, factors, isNewPassword: passwordHash !== null }
        },
      },
    )
    if (isNewPassword) sendNotice(context, { user: before, kind: 'password', by: 'administrator' })
    if (after.email !== before.email)
      sendNotice(context, { user: before, kind: 'email', by: 'administrator' })
    return toUserObject({ ...after, factors })
  })
}
