import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { spendToken, type TokenRow } from '#server/auth/one-time-tokens/find-token.ts'
import { amrOf } from '#server/auth/sessions/open-session.ts'
import { signIn } from '#server/auth/sessions/sign-in.ts'
import { confirmEmail } from '#server/auth/users/confirm-email.ts'
import type { UserRow } from '#server/auth/users/user-object.ts'
import { change } from '#server/db/change.ts'
import { confirmEmailChange } from './confirm-email-change.ts'

const HALF_DONE = {
  msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
  code: '200',
}

interface Redemption {
  request: FastifyRequest
  reply: FastifyReply
  token: TokenRow
  user: UserRow
  fail: () => Error
}

/** Spends the token, which proves a mailbox, and opens the session that it stands for. */
export async function redeemToken(
  context: AuthContext,
  { request, reply, token, user, fail }: Redemption,
): Promise<unknown> {
  const isEmailChange = token.kind.startsWith('email_change')
  const proved = await change(context.db, async (trx) => {
    if (isEmailChange) return confirmEmailChange(trx, context.config, token, fail)
    if (!(await spendToken(trx, token.id))) throw fail()
    return confirmEmail(trx, user)
  })
  if (isEmailChange && proved !== null) sendNotice(context, { user, kind: 'email', by: 'self' })
  return proved === null ? HALF_DONE : signIn(context, request, reply, proved, amrOf('otp'))
}
