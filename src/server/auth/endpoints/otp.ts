import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { recordAudit } from '#server/activity/trail.ts'
import { change } from '#server/db/transactions/change.ts'
import { clientAddress } from '#server/http/sockets/addresses.ts'
import { composeTokenMails, limitOwnMail, mailBehindAnswer } from '../account-mail.ts'
import { checkEmail, checkKnownEmail } from '../accounts/rules.ts'
import { findUserByEmail, insertUser, type UserRow } from '../accounts/users.ts'
import { requireUser } from '../caller.ts'
import type { AuthContext } from '../context.ts'
import { challengeFields, readLinkTarget, redirectTarget } from '../one-time-tokens/redirects.ts'
import { EMAIL_CHANGE_KINDS, type TokenKind } from '../one-time-tokens/tokens.ts'
import { authError, document, readBody, readQuery, text, validationFailed } from '../protocol.ts'

const bodyOfOtp = z.object({
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
    const input = readBody(bodyOfOtp, request)
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

/** Mails the code that stands for the current password when somebody sets a new one. */
export function registerReauthenticate(scope: FastifyInstance, context: AuthContext): void {
  scope.get('/reauthenticate', async (request) => {
    const { user } = await requireUser(context, request)
    await limitOwnMail(context.db, 'reauthentication', user.id)
    context.mail.later(() =>
      composeTokenMails(context, { user, kinds: ['reauthentication'], cause: 'themselves' }),
    )
    return {}
  })
}

const bodyOfRecover = z.object({ email: text, ...challengeFields })

/** "Esqueci minha senha". Whether anybody has that address is found out behind the answer. */
export function registerRecover(scope: FastifyInstance, context: AuthContext): void {
  scope.post('/recover', async (request) => {
    const input = readBody(bodyOfRecover, request)
    const email = checkKnownEmail(input.email)
    const target = readLinkTarget(context, request, input)
    const askedFrom = clientAddress(request)
    return mailBehindAnswer(context, request, { operation: 'recover', email }, (user) =>
      composeTokenMails(context, { user, kinds: ['recovery'], ...target, cause: 'anybody', askedFrom }),
    )
  })
}

const body = z.object({ type: text, email: text, ...challengeFields })

const PHONE_TYPES = ['sms', 'phone_change']

const TYPES = ['signup', 'email_change']

export function registerResend(scope: FastifyInstance, context: AuthContext): void {
  const { origins } = context
  scope.post('/resend', async (request) => {
    const { type, email: given, ...challenge } = readBody(body, request)
    if (PHONE_TYPES.includes(type))
      throw authError(400, 'phone_provider_disabled', 'Unsupported phone provider')
    if (!TYPES.includes(type))
      throw validationFailed('Missing one of these types: signup, email_change, sms, phone_change')
    if (given === '') throw validationFailed('Type provided requires an email address')
    const email = checkKnownEmail(given)
    // A change of address asks two mailboxes, and neither answer alone is a session that a code could stand for.
    const target =
      type === 'signup'
        ? readLinkTarget(context, request, challenge)
        : { redirectTo: redirectTarget(origins, readQuery(request, 'redirect_to')) }
    const askedFrom = clientAddress(request)
    return mailBehindAnswer(context, request, { operation: `resend:${type}`, email }, async (user) => {
      const kinds = kindsToSend(type, user)
      return kinds.length === 0
        ? []
        : composeTokenMails(context, { user, kinds, ...target, cause: 'anybody', askedFrom })
    })
  })
}

function kindsToSend(type: string, user: UserRow): readonly TokenKind[] {
  if (type === 'signup') return user.email_confirmed_at === null ? ['signup'] : []
  return user.new_email === null ? [] : EMAIL_CHANGE_KINDS
}
