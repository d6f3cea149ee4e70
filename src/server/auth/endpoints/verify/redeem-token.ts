import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { spendToken, type TokenRow } from '#server/auth/one-time-tokens/find-token.ts'
import { amrOf } from '#server/auth/sessions/open-session.ts'
import { signIn } from '#server/auth/sessions/sign-in.ts'
import { confirmEmail } from '#server/auth/users/confirm-email.ts'
import type { UserRow } from '#server/auth/users/user-object.ts'
import { confirmEmailChange } from './confirm-email-change.ts'

const HALF_DONE = {
  msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
  code: '200',
}

interface Redemption {
  request: FastifyRequest
  reply: FastifyReply
  token: TokenRow
  fail: () => Error
}

/** Spends the token, which proves a mailbox, and opens the session that it stands for: all of it or nothing. */
export async function redeemToken(
  context: AuthContext,
  { request, reply, token, fail }: Redemption,
): Promise<unknown> {
  const isEmailChange = token.kind.startsWith('email_change')
  let former: UserRow | undefined
  const session = await signIn(context, {
    request,
    reply,
    userId: token.user_id,
    amr: amrOf(token.kind === 'recovery' || token.kind === 'invite' ? token.kind : 'otp'),
    status: 403,
    unknown: fail,
    admit: async (account) => {
      former = account.user
      const address = token.kind === 'email_change_new' ? former.new_email : former.email
      // Sent to an address that is not this person's any more.
      if (token.sent_to !== address) throw fail()
      if (isEmailChange) return confirmEmailChange(account, context.config, token, fail)
      if (!(await spendToken(account.trx, token.id))) throw fail()
      await confirmEmail(account)
      return true
    },
  })
  if (session === null) return HALF_DONE
  if (isEmailChange && former !== undefined) sendNotice(context, { user: former, kind: 'email', by: 'self' })
  return session
}
