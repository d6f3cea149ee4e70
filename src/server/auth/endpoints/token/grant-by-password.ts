import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { PASSWORD_MAX_LENGTH } from '#contract/accounts.ts'
import { normalizeEmail } from '#contract/email.ts'
import { isShownEmail } from '#contract/known-email.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { seatOf } from '#server/auth/passwords/password-hasher.ts'
import { authError, validationFailed } from '#server/auth/protocol/auth-error.ts'
import { readBody, text } from '#server/auth/protocol/read-body.ts'
import { readDevice } from '#server/auth/sessions/device-cookie.ts'
import { passwordAmr } from '#server/auth/sessions/open-session.ts'
import type { SessionObject } from '#server/auth/sessions/session-object.ts'
import { signIn } from '#server/auth/sessions/sign-in.ts'
import { findUserByEmail } from '#server/auth/users/find-user.ts'
import type { UserRow } from '#server/auth/users/user-object.ts'
import { recordAudit } from '#server/db/audit.ts'
import { addressBlock } from '#server/http/address-block.ts'
import { clientAddress } from '#server/http/client-address.ts'
import { countWrongGuess, type Guess, limitSignIns, refuseWhenLocked } from './login-limits.ts'

const body = z.object({ email: text, phone: text, password: text })

export async function grantByPassword(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SessionObject | null> {
  const { email, phone, password } = readBody(body, request)
  if (email === '' && phone === '') throw validationFailed('missing email or phone')
  if (email === '') throw authError(422, 'phone_provider_disabled', 'Phone logins are disabled')
  const user = await findUserByEmail(context.db, email)
  const device = user === undefined ? null : readDevice(request, context.deviceSecret, user.id)
  const guess: Guess = { email, address: addressBlock(clientAddress(request)), device: device?.id ?? null }
  const proved = await provePassword(context, guess, user, password)
  const renewed = context.passwords.isForeign(proved.password_hash ?? '')
    ? await context.passwords.hash(password, seatOf(guess.address, guess.device !== null))
    : null
  return signIn(context, {
    request,
    reply,
    userId: proved.id,
    amr: passwordAmr(),
    status: 400,
    unknown: invalidCredentials,
    admit: async (account) => {
      // Changed while the old one was being checked: that proof is worth nothing now.
      if (account.user.password_hash !== proved.password_hash) throw invalidCredentials()
      if (renewed !== null) await account.update({ password_hash: renewed })
      return true
    },
  })
}

/** Unknown address and wrong password: the same work, the same answer. */
async function provePassword(
  context: AuthContext,
  guess: Guess,
  user: UserRow | undefined,
  password: string,
): Promise<UserRow> {
  await refuseWhenLocked(context.db, guess)
  limitSignIns(context, guess)
  const stored = password.length > PASSWORD_MAX_LENGTH ? null : (user?.password_hash ?? null)
  const seat = seatOf(guess.address, guess.device !== null)
  const matches = await context.passwords.verify(stored, password.slice(0, PASSWORD_MAX_LENGTH), seat)
  if (user !== undefined && matches) {
    await refuseWhenLocked(context.db, guess)
    return user
  }
  await countWrongGuess(context.db, guess)
  await recordAudit(context.db, {
    actor_id: null,
    // Typed by anybody: what is no address could be made to read as somebody else's deed.
    actor: isShownEmail(guess.email) ? normalizeEmail(guess.email) : 'guest',
    action: 'auth.sign_in_failed',
    ...(user === undefined ? {} : { subject: user.id }),
  })
  throw invalidCredentials()
}

function invalidCredentials(): Error {
  return authError(400, 'invalid_credentials', 'Invalid login credentials')
}
