import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { recordAudit } from '../../db/audit.ts'
import type { AuthContext } from '../auth-context.ts'
import { authError } from '../auth-error.ts'
import { inTransaction } from '../in-transaction.ts'
import { limitByAddress } from '../one-time/limit-calls.ts'
import { limitMail } from '../one-time/mail-limits.ts'
import { mailTokens } from '../one-time/mail-token.ts'
import { redirectTarget } from '../one-time/redirect-target.ts'
import { document, readBody, readQuery, text } from '../read-body.ts'
import { checkEmail } from '../users/check-email.ts'
import { findUserByEmail, isShutOut } from '../users/find-user.ts'
import { insertUser } from '../users/insert-user.ts'
import type { UserRow } from '../users/user-object.ts'

const body = z.object({
  email: text,
  phone: text,
  data: document,
  create_user: z.pipe(
    z.nullish(z.boolean()),
    z.transform((value) => value ?? true),
  ),
})

/**
 * A link or code instead of a password. The protocol refuses an unknown address that may not become an account, which
 * tells strangers who has one: while sign-up is closed, every address gets the same answer, and only a known one gets
 * mail. While it is open, signing up tells as much anyway, and the protocol's own answer is given.
 */
export function registerOtp(scope: FastifyInstance, context: AuthContext): void {
  const { db, config, mail, origins } = context
  scope.post('/otp', async (request) => {
    const input = readBody(body, request)
    if (input.email === '' && input.phone !== '')
      throw authError(400, 'phone_provider_disabled', 'Unsupported phone provider')
    const email = checkEmail(input.email)
    const redirectTo = redirectTarget(origins, readQuery(request, 'redirect_to'))
    limitByAddress(context, request, 'otp')
    await limitMail(db, 'otp', email)
    if (config.auth.signup === 'open' && !input.create_user && !(await findUserByEmail(db, email)))
      throw authError(422, 'otp_disabled', 'Signups not allowed for otp')
    mail.later(async () => {
      const known = await findUserByEmail(db, email)
      const mayCreate = input.create_user && config.auth.signup === 'open'
      const user = known ?? (mayCreate ? await signUp(context, email, input.data ?? {}) : undefined)
      if (user === undefined || isShutOut(user)) return []
      return mailTokens(
        context,
        user,
        [user.email_confirmed_at === null ? 'signup' : 'magiclink'],
        redirectTo,
      )
    })
    return {}
  })
}

async function signUp(
  { db }: AuthContext,
  email: string,
  userMetadata: Record<string, unknown>,
): Promise<UserRow | undefined> {
  return inTransaction(db, async (trx) => {
    const user = await insertUser(trx, { email, passwordHash: null, confirmed: false, userMetadata })
    if (user === null) return findUserByEmail(trx, email)
    await recordAudit(trx, {
      actor_id: user.id,
      actor: email,
      action: 'user.signed_up',
      subject: user.id,
      after: { email },
    })
    return user
  })
}
