import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { clientAddress } from '#server/http/client-address.ts'
import type { AuthContext } from '../auth-context.ts'
import { mailBehindAnswer } from '../mail/mail-behind-answer.ts'
import { composeTokenMails } from '../one-time-tokens/compose-token-mails.ts'
import { challengeFields, readLinkTarget } from '../one-time-tokens/link-target.ts'
import { authError } from '../protocol/auth-error.ts'
import { document, readBody, text } from '../protocol/read-body.ts'
import { checkEmail } from '../users/check-email.ts'
import { findUserByEmail } from '../users/find-user.ts'
import { insertUser } from '../users/insert-user.ts'
import type { UserRow } from '../users/user-object.ts'

const body = z.object({
  email: text,
  phone: text,
  data: document,
  ...challengeFields,
  create_user: z.pipe(
    z.nullish(z.boolean()),
    z.transform((value) => value ?? true),
  ),
})

/**
 * A link or code instead of a password. The protocol refuses an unknown address that may not become an account, which
 * tells strangers who has one: here every address gets the same answer, and only one that has an account, or may have
 * one now, gets mail.
 */
export function registerOtp(scope: FastifyInstance, context: AuthContext): void {
  const { config } = context
  scope.post('/otp', async (request) => {
    const input = readBody(body, request)
    if (input.email === '' && input.phone !== '')
      throw authError(400, 'phone_provider_disabled', 'Unsupported phone provider')
    const email = checkEmail(input.email)
    const target = readLinkTarget(context, request, input)
    const mayCreate = input.create_user && config.auth.signup === 'open'
    const askedFrom = clientAddress(request)
    return mailBehindAnswer(
      context,
      request,
      {
        operation: 'otp',
        email,
        findElse: async () => (mayCreate ? signUp(context, request, email, input.data ?? {}) : undefined),
      },
      (user) => {
        const kind = user.email_confirmed_at === null ? 'signup' : 'magiclink'
        return composeTokenMails(context, { user, kinds: [kind], ...target, cause: 'anybody', askedFrom })
      },
    )
  })
}

async function signUp(
  { db, limits }: AuthContext,
  request: FastifyRequest,
  email: string,
  userMetadata: Record<string, unknown>,
): Promise<UserRow | undefined> {
  const store = () =>
    change(db, async (trx) => {
      const user = await insertUser(trx, {
        email,
        passwordHash: null,
        confirmed: false,
        isStranger: true,
        userMetadata,
      })
      if (user === null) return { user: await findUserByEmail(trx, email), isNew: false }
      await recordAudit(trx, {
        actor_id: user.id,
        actor: email,
        action: 'user.signed_up',
        subject: user.id,
        after: { email },
      })
      return { user, isNew: true }
    })
  return limits.storeWithin<UserRow | undefined>(
    'signup',
    request,
    async (giveBack) => {
      const { user, isNew } = await store()
      if (!isNew) giveBack()
      return user
    },
    () => undefined,
  )
}
