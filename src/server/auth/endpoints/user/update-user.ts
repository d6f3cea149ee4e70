import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { requireUser } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { limitOwnMail, requireMails } from '#server/auth/mail/mail-limits.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { composeIssued } from '#server/auth/one-time-tokens/compose-token-mails.ts'
import { EMAIL_CHANGE_KINDS, issueTokens } from '#server/auth/one-time-tokens/issue-tokens.ts'
import { redirectTarget } from '#server/auth/one-time-tokens/redirect-target.ts'
import { seatOf } from '#server/auth/passwords/password-hasher.ts'
import { authError } from '#server/auth/protocol/auth-error.ts'
import { limitByPerson } from '#server/auth/protocol/limit-calls.ts'
import { document, readBody, readQuery, text, toJson } from '#server/auth/protocol/read-body.ts'
import { requireSecondFactor } from '#server/auth/second-factors/second-factor.ts'
import { refuseTakenEmail } from '#server/auth/users/accounts.ts'
import { type AccountState, changeAccount } from '#server/auth/users/change-account.ts'
import { checkEmail } from '#server/auth/users/check-email.ts'
import { mergeMetadata } from '#server/auth/users/merge-metadata.ts'
import { refuseChangeOfPrincipal } from '#server/auth/users/rules.ts'
import { toUserObject } from '#server/auth/users/user-object.ts'
import { clientAddress } from '#server/http/client-address.ts'
import { prepareNewPassword } from './prepare-new-password.ts'

const body = z.object({
  email: text,
  phone: text,
  password: text,
  current_password: text,
  nonce: text,
  data: document,
})

/**
 * A person's own account. A new address waits in `new_email` until both mailboxes have confirmed it; each request for one
 * replaces address, mails and confirmations of the one before, and is refused when its mails cannot be sent.
 */
export function registerUpdateUser(scope: FastifyInstance, context: AuthContext): void {
  const { db, config } = context
  scope.put('/user', async (request) => {
    const input = readBody(body, request)
    const { user, who } = await requireUser(context, request)
    if (input.phone !== '') throw authError(400, 'phone_provider_disabled', 'Unsupported phone provider')
    /** The address that is asked for, if it is another. */
    const newEmailFor = (account: AccountState): string | null => {
      const email = input.email === '' ? account.user.email : checkEmail(input.email, account.user.email)
      return email === account.user.email ? null : email
    }
    const redirectTo = redirectTarget(context.origins, readQuery(request, 'redirect_to'))
    const target = { redirectTo, codeChallenge: null }
    const check = (account: AccountState) => {
      const newEmail = newEmailFor(account)
      if (newEmail !== null || input.password !== '') requireSecondFactor(account, 'update_user')
      if (newEmail !== null) refuseChangeOfPrincipal(config, account.user.email)
    }
    const changed = await changeAccount(db, who, {
      check,
      prepare: async (seen) => {
        const newEmail = newEmailFor(seen)
        if (newEmail !== null || input.password !== '') limitByPerson(context, 'update-user', user.id)
        if (newEmail !== null) {
          await refuseTakenEmail(db, user.id, newEmail)
          await limitOwnMail(db, 'email_change', user.id)
          await requireMails(db, seen.user, 'themselves', EMAIL_CHANGE_KINDS.length)
        }
        return input.password === ''
          ? null
          : prepareNewPassword(context, seen, { ...input, seat: seatOf(clientAddress(request), false) })
      },
      write: async (account, password) => {
        const before = account.user
        const newEmail = newEmailFor(account)
        await password?.admit(account)
        if (newEmail !== null) await refuseTakenEmail(account.trx, before.id, newEmail)
        const now = new Date().toISOString()
        await account.update({
          updated_at: now,
          ...(newEmail === null ? {} : { new_email: newEmail, email_change_sent_at: now }),
          ...(password === null ? {} : { password_hash: password.passwordHash }),
          ...(input.data == null
            ? {}
            : { user_metadata: toJson(mergeMetadata(before.user_metadata, input.data)) }),
        })
        if (password !== null) await account.revoke('own_password')
        // After what a new password ends: these mails are about what comes next.
        const tokens =
          newEmail === null ? [] : await issueTokens(context, account, EMAIL_CHANGE_KINDS, target)
        await account.audit(password === null ? 'user.updated' : 'user.password_changed', {
          ...(newEmail === null ? {} : { before: { email: before.email }, after: { new_email: newEmail } }),
        })
        const { user: after, factors } = account
        return { before, after, factors, tokens, isNewPassword: password !== null }
      },
    })
    if (changed.isNewPassword) sendNotice(context, { user: changed.before, kind: 'password', by: 'self' })
    if (changed.tokens.length > 0)
      context.mail.later(() => composeIssued(context, changed.after, changed.tokens, redirectTo))
    return toUserObject({ ...changed.after, factors: changed.factors })
  })
}
