import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { PASSWORD_MAX_LENGTH } from '#contract/accounts.ts'
import { normalizeEmail } from '#contract/email.ts'
import { isShownEmail } from '#contract/known-email.ts'
import { recordAudit } from '#server/activity/trail.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/errors.ts'
import { type CountedGuess, countGuess, readHits } from '#server/http/limits/counter.ts'
import { type Limit, SIGN_INS, WRONG_PASSWORDS } from '#server/http/limits/limits.ts'
import { addressBlock, clientAddress, networkBlock } from '#server/http/sockets/addresses.ts'
import { isSameSecret } from '#server/secrets/tokens.ts'
import { findUserByEmail, type UserRow, withFactors } from '../accounts/users.ts'
import type { AuthContext } from '../context.ts'
import { takeLinkCode } from '../one-time-tokens/link-codes.ts'
import { seatOf } from '../passwords/passwords.ts'
import {
  authError,
  limitByAddress,
  rateLimited,
  readBody,
  readQuery,
  text,
  validationFailed,
} from '../protocol.ts'
import { readDevice } from '../sessions/cookies.ts'
import { passwordAmr, signIn } from '../sessions/issue.ts'
import { rotateRefreshToken } from '../sessions/refresh.ts'
import { type SessionObject, toSessionObject } from '../sessions/tokens.ts'
import { redeemToken } from './verify.ts'

/** The same response with and without an API key. */
const GRANTS_OFF = ['id_token', 'web3']

export function registerToken(scope: FastifyInstance, context: AuthContext): void {
  const keyless = (request: FastifyRequest) => GRANTS_OFF.includes(readQuery(request, 'grant_type') ?? '')
  scope.post('/token', { config: { keyless } }, async (request, reply) => {
    switch (readQuery(request, 'grant_type')) {
      case 'password':
        return grantByPassword(context, request, reply)
      case 'refresh_token':
        return grantByRefreshToken(context, request)
      case 'pkce':
        return grantByCode(context, request, reply)
      case 'id_token':
        throw authError(400, 'provider_disabled', 'Provider is not enabled')
      case 'web3':
        throw authError(422, 'web3_provider_disabled', 'Web3 provider is disabled')
      default:
        throw authError(400, 'invalid_credentials', 'unsupported_grant_type')
    }
  })
}

const codeGrantBody = z.object({ auth_code: text, code_verifier: text })

/** Exchanges a link code for a session. The code is deleted by the first attempt, right or wrong. */
async function grantByCode(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { auth_code: code, code_verifier: verifier } = readBody(codeGrantBody, request)
  if (code === '' || verifier === '')
    throw validationFailed('invalid request: both auth code and code verifier should be non-empty')
  const token = await takeLinkCode(context.db, code)
  if (token === undefined) {
    limitByAddress(context, request, 'code-unknown')
    throw unknownCode()
  }
  if (token.code_challenge === null || !isSameSecret(token.code_challenge, challengeOf(verifier)))
    throw authError(400, 'bad_code_verifier', 'code challenge does not match previously saved code verifier')
  return redeemToken(context, { request, reply, token, fail: unknownCode })
}

/** S256 of RFC 7636. */
function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

function unknownCode(): Error {
  return authError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found')
}

const passwordGrantBody = z.object({ email: text, phone: text, password: text })

async function grantByPassword(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SessionObject | null> {
  const { email, phone, password } = readBody(passwordGrantBody, request)
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
      // The password was changed during the check: the proof is void.
      if (account.user.password_hash !== proved.password_hash) throw invalidCredentials()
      if (renewed !== null) await account.update({ password_hash: renewed })
      return true
    },
  })
}

/** The same work and response for an unknown address and a wrong password. */
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
    // Anybody can type this: text that is no address could be read as another person's action.
    actor: isShownEmail(guess.email) ? normalizeEmail(guess.email) : 'guest',
    action: 'auth.sign_in_failed',
    ...(user === undefined ? {} : { subject: user.id }),
  })
  throw invalidCredentials()
}

function invalidCredentials(): Error {
  return authError(400, 'invalid_credentials', 'Invalid login credentials')
}

const body = z.object({ refresh_token: text })

const TOKEN_SHAPE = /^[\w-]{12,128}$/

async function grantByRefreshToken(context: AuthContext, request: FastifyRequest): Promise<SessionObject> {
  const { refresh_token: token } = readBody(body, request)
  if (token === '') throw validationFailed('refresh_token required')
  if (!TOKEN_SHAPE.test(token)) throw validationFailed('Refresh token is not valid')
  try {
    const { user, session } = await rotateRefreshToken(context, token)
    return await toSessionObject(context, await withFactors(context.db, user), session)
  } catch (error) {
    // Only unknown tokens count, so that the limit signs nobody out.
    if (error instanceof AppError && error.code === 'refresh_token_not_found')
      limitByAddress(context, request, 'refresh-unknown')
    throw error
  }
}

interface Guess {
  email: string
  address: string
  /** A browser that signed in to this account before is counted separately. */
  device: string | null
}

interface KeyedLimit extends Limit {
  key: string
}

/**
 * Only wrong passwords count, and they count after the check, in one atomic step whose number decides the response.
 * Parallel guesses never learn more than the limit allows, and many right passwords at once all succeed.
 */
async function refuseWhenLocked(db: Db, guess: Guess): Promise<void> {
  for (const limit of limitsOf(guess)) {
    const { count, retryAfterSeconds } = await readHits(db, limit.key, limit.windowMs)
    if (count >= limit.max) throw rateLimited(retryAfterSeconds)
  }
}

/** Throws when this guess exceeds the limit: the response then says nothing about the password. */
async function countWrongGuess(db: Db, guess: Guess): Promise<void> {
  const counted: CountedGuess[] = []
  for (const limit of limitsOf(guess)) counted.push(await countGuess(db, limit.key, limit))
  const exceeded = counted.find((state) => 'waitSeconds' in state)
  if (exceeded !== undefined) throw rateLimited(exceeded.waitSeconds)
}

/** Lifts the lock of an account, also for known browsers. */
export async function forgetWrongGuesses(db: Db, email: string): Promise<void> {
  const [account, devices] = [accountKey(email), `${deviceKey(email)}:`]
  await db
    .deleteFrom('rate_limits')
    .where((eb) =>
      eb.or([
        eb('key', '=', account),
        eb(sql<string>`substr(key, 1, ${sql.lit(devices.length)})`, '=', devices),
      ]),
    )
    .execute()
}

const hashOf = (email: string) => createHash('sha256').update(normalizeEmail(email)).digest('base64url')

const accountKey = (email: string) => `login:account:${hashOf(email)}`

const deviceKey = (email: string) => `login:device:${hashOf(email)}`

/** Checked before the password: a right one costs as much as a wrong one. */
function limitSignIns({ limits }: AuthContext, { email, address, device }: Guess): void {
  const account = hashOf(email)
  const wait =
    device === null
      ? (limits.take(`sign-in:address:${account}:${address}`, SIGN_INS.own) ??
        limits.take(`sign-in:account:${account}`, SIGN_INS.account))
      : limits.take(`sign-in:known:${account}:${address}`, SIGN_INS.own)
  if (wait !== null) throw rateLimited(wait)
}

function limitsOf({ email, address, device }: Guess): KeyedLimit[] {
  if (device !== null) return [{ key: `${deviceKey(email)}:${device}`, ...WRONG_PASSWORDS.account }]
  const network = networkBlock(address)
  return [
    { key: accountKey(email), ...WRONG_PASSWORDS.account },
    { key: `login:address:${address}`, ...WRONG_PASSWORDS.address },
    ...(network === null ? [] : [{ key: `login:network:${network}`, ...WRONG_PASSWORDS.network }]),
  ]
}
