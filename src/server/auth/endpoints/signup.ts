import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { recordAudit } from '#server/activity/trail.ts'
import { change } from '#server/db/transactions/change.ts'
import { clientAddress } from '#server/http/sockets/addresses.ts'
import { checkEmail } from '../accounts/rules.ts'
import { insertUser, isEmailTaken } from '../accounts/users.ts'
import { checkApiKey } from '../caller.ts'
import type { AuthContext } from '../context.ts'
import { checkPassword, seatOf } from '../passwords/passwords.ts'
import {
  authError,
  document,
  limitByAddress,
  rateLimited,
  readBody,
  text,
  validationFailed,
} from '../protocol.ts'
import { passwordAmr, signIn } from '../sessions/issue.ts'

const body = z.object({ email: text, phone: text, password: text, data: document })

/** Closed unless the operator opens it. New accounts have no role. */
export function registerSignup(scope: FastifyInstance, context: AuthContext): void {
  const { db, config, passwords } = context
  // A disabled method returns its error with or without a key, and only the body names the method.
  scope.post('/signup', { config: { keyless: true } }, async (request, reply) => {
    const { email: given, phone, password, data } = readBody(body, request)
    if (given === '' && phone === '')
      throw authError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled')
    await checkApiKey(context, request)
    if (config.auth.signup === 'closed')
      throw authError(422, 'signup_disabled', 'Signups not allowed for this instance')
    if (given === '') throw authError(400, 'phone_provider_disabled', 'Phone signups are disabled')
    if (password === '') throw validationFailed('Signup requires a valid password')
    const email = checkEmail(given)
    limitByAddress(context, request, 'signup')
    const seat = seatOf(clientAddress(request), false)
    await checkPassword(password, [email, config.site.brandName], seat)
    if (await isEmailTaken(db, null, email)) throw alreadyRegistered()
    const store = async () => {
      const passwordHash = await passwords.hash(password, seat)
      return change(db, async (trx) => {
        const row = await insertUser(trx, {
          email,
          passwordHash,
          confirmed: true,
          isStranger: true,
          userMetadata: data ?? {},
        })
        if (row === null) throw alreadyRegistered()
        await recordAudit(trx, {
          actor_id: row.id,
          actor: email,
          action: 'user.signed_up',
          subject: row.id,
          after: { email },
        })
        return row
      })
    }
    const user = await context.limits.storeWithin('signup', request, store, (wait) => {
      throw rateLimited(wait)
    })
    return signIn(context, {
      request,
      reply,
      userId: user.id,
      amr: passwordAmr(),
      status: 400,
      unknown: alreadyRegistered,
      admit: async (account) => {
        if (account.user.password_hash !== user.password_hash) throw alreadyRegistered()
        return true
      },
    })
  })
}

function alreadyRegistered(): Error {
  return authError(422, 'user_already_exists', 'User already registered')
}
