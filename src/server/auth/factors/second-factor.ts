import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { recordAudit } from '#server/activity/trail.ts'
import type { Db } from '#server/db/database.ts'
import { aheadRange } from '#server/db/time.ts'
import { change } from '#server/db/transactions/change.ts'
import { AppError } from '#server/http/errors.ts'
import { countGuess, countHit, forgetHits, giveBackGuess } from '#server/http/limits/counter.ts'
import { SECOND_STEP } from '#server/http/limits/limits.ts'
import { addressBlock, clientAddress } from '#server/http/sockets/addresses.ts'
import { sendNotice } from '../account-mail.ts'
import type { AccountState, LockedAccount } from '../accounts/change-account.ts'
import { deleteRecoveryCodes } from '../accounts/credentials.ts'
import type { FactorRow, SessionRow, UserRow } from '../accounts/users.ts'
import type { AuthContext } from '../context.ts'
import { authError, rateLimited } from '../protocol.ts'
import { isFromDashboard, readDevice, rememberDevice } from '../sessions/cookies.ts'
import type { Amr, OpenSession } from '../sessions/issue.ts'
import { renewRefreshToken } from '../sessions/refresh.ts'
import { factorSecretPlace } from './totp.ts'

const WRONG_ANSWERS = ['mfa_verification_failed', 'recovery_code_invalid', 'webauthn_verification_failed']

interface SecondStep {
  request: FastifyRequest
  reply: FastifyReply
  user: Pick<UserRow, 'id' | 'email' | 'mailbox_proved_at'>
  session: SessionRow
}

/** Challenges and answers of one person, as the protocol limits them. */
export async function limitFactorCalls(
  context: AuthContext,
  request: FastifyRequest,
  session: SessionRow,
): Promise<void> {
  const { own, strangers } = countedAs(context, request, session)
  const limits = [
    { key: `factor:calls:${own}`, ...SECOND_STEP.calls },
    ...(strangers === null ? [] : [{ key: `factor:calls:${strangers}`, ...SECOND_STEP.strangerCalls }]),
  ]
  for (const { key, max, windowMs } of limits) {
    const { count, retryAfterSeconds } = await countHit(context.db, key, windowMs)
    if (count > max) throw rateLimited(retryAfterSeconds)
  }
}

/**
 * Runs `check`, which throws when the code or key is wrong. Wrong answers are counted, audited and, when they go on, told
 * to the owner by mail. After a right one the dashboard's browser is known: its guesses are then counted apart.
 */
export async function showSecondStep<T>(
  context: AuthContext,
  { request, reply, user, session }: SecondStep,
  check: () => Promise<T>,
): Promise<T> {
  const { own, strangers } = countedAs(context, request, session)
  const keys = {
    own: `factor:guess:${own}`,
    strangers: strangers === null ? null : `factor:guess:${strangers}`,
  }
  const isRepeated = await takeGuess(context.db, keys)
  let result: T
  try {
    result = await check()
  } catch (error) {
    if (error instanceof AppError && WRONG_ANSWERS.includes(error.code)) {
      const { id: actor_id, email: actor } = user
      await change(context.db, async (trx) => {
        await recordAudit(trx, { actor_id, actor, action: 'auth.second_step_failed', subject: user.id })
        if (isRepeated)
          await sendNotice(context, trx, { user, kind: 'second-step-failed', by: 'password-holder' })
      })
    }
    throw error
  }
  await forgetHits(context.db, keys.own)
  if (keys.strangers !== null) await giveBackGuess(context.db, keys.strangers)
  rememberSecondStep(context, request, reply, user.id)
  return result
}

/** A browser of the dashboard that has shown a second step. */
export function rememberSecondStep(
  { deviceSecret, origins }: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  userId: string,
): void {
  if (isFromDashboard(request, origins)) rememberDevice(request, reply, deviceSecret, userId, 'aal2')
}

/** Whose calls and guesses these are: a browser's or session's that showed the second step before, or an address's. */
function countedAs(
  { deviceSecret }: AuthContext,
  request: FastifyRequest,
  session: SessionRow,
): { own: string; strangers: string | null } {
  const device = readDevice(request, deviceSecret, session.user_id)
  if (device?.aal === 'aal2') return { own: `device:${device.id}`, strangers: null }
  if (session.aal === 'aal2') return { own: `session:${session.login_id ?? session.id}`, strangers: null }
  return {
    own: `${session.user_id}:${addressBlock(clientAddress(request))}`,
    strangers: session.user_id,
  }
}

/** Counts under both keys or under none. True when the owner should hear of this guess, should it be wrong. */
function takeGuess(db: Db, keys: { own: string; strangers: string | null }): Promise<boolean> {
  const limits = [
    { key: keys.own, limit: SECOND_STEP.guesses },
    ...(keys.strangers === null ? [] : [{ key: keys.strangers, limit: SECOND_STEP.strangerGuesses }]),
  ]
  return change(db, async (trx) => {
    let isRepeated = false
    for (const { key, limit } of limits) {
      const guess = await countGuess(trx, key, limit)
      if ('waitSeconds' in guess) throw rateLimited(guess.waitSeconds)
      isRepeated ||= guess.count % limit.free === 0
    }
    return isRepeated
  })
}

const MAX_FACTORS = 10

/** An enrolment that was not finished by then is deleted by the next one. */
const UNFINISHED_MS = 10 * 60_000

/** How far ahead of a code's own step the last used one can be: both may drift by a step, and replicas by a minute. */
const STEPS_AHEAD = 4

interface NewFactor {
  name: string
  kind: FactorRow['kind']
  secret: string
}

/** Gives the id of a factor that does not count yet. */
export async function insertFactor(
  { secrets }: AuthContext,
  account: LockedAccount,
  { name, kind, secret }: NewFactor,
): Promise<string> {
  const { trx, user } = account
  const id = randomUUID()
  const at = new Date()
  await makeRoom(account, name, at)
  await trx
    .insertInto('auth_factors')
    .values({
      id,
      user_id: user.id,
      friendly_name: name,
      factor_type: 'totp',
      kind,
      status: 'unverified',
      secret: await secrets.seal(trx, factorSecretPlace(id), secret),
      created_at: at.toISOString(),
      updated_at: at.toISOString(),
    })
    .execute()
  return id
}

async function makeRoom({ trx, user }: LockedAccount, name: string, now: Date): Promise<void> {
  await trx
    .deleteFrom('auth_factors')
    .where('user_id', '=', user.id)
    .where('status', '=', 'unverified')
    .where((eb) =>
      eb.or([
        eb('created_at', '<=', new Date(now.getTime() - UNFINISHED_MS).toISOString()),
        eb('created_at', '>', aheadRange(0, now.getTime()).upTo),
      ]),
    )
    .execute()
  const factors = await trx
    .selectFrom('auth_factors')
    .select('friendly_name')
    .where('user_id', '=', user.id)
    .execute()
  if (factors.length >= MAX_FACTORS)
    throw authError(
      422,
      'too_many_enrolled_mfa_factors',
      'Maximum number of verified factors reached, unenroll to continue',
    )
  if (factors.some((factor) => factor.friendly_name === name))
    throw authError(
      422,
      'mfa_factor_name_conflict',
      `A factor with the friendly name "${name}" for this user already exists`,
    )
}

/** The factor as the transaction finds it. */
export function requireFactor({ factors }: LockedAccount, id: string): FactorRow {
  const factor = factors.find((candidate) => candidate.id === id)
  if (factor === undefined) throw authError(404, 'mfa_factor_not_found', 'Factor not found')
  return factor
}

export async function markChallenged({ trx }: LockedAccount, id: string, at: string): Promise<void> {
  await trx.updateTable('auth_factors').set({ last_challenged_at: at }).where('id', '=', id).execute()
}

/** A code is good once (RFC 6238, 5.2): of two that come with the same one, the second finds its step gone. */
export async function spendStep({ trx }: LockedAccount, id: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('auth_factors')
    .set({ last_used_step: step, updated_at: new Date().toISOString() })
    .where('id', '=', id)
    .where((eb) =>
      eb.or([
        eb('last_used_step', 'is', null),
        eb('last_used_step', '<', step),
        // No code of this step could have been shown yet: the clock was set back since.
        eb('last_used_step', '>', step + STEPS_AHEAD),
      ]),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** A factor that was shown counts from here on, and other enrolments that were begun are dropped. */
export async function acceptFactor(account: LockedAccount, { id, status }: FactorRow): Promise<void> {
  const { trx, user } = account
  if (status === 'unverified') {
    const updated_at = new Date().toISOString()
    await trx
      .updateTable('auth_factors')
      .set({ status: 'verified', updated_at })
      .where('id', '=', id)
      .execute()
    await account.audit('auth.factor_verified', { after: { factor_id: id } })
  }
  await trx
    .deleteFrom('auth_factors')
    .where('user_id', '=', user.id)
    .where('status', '=', 'unverified')
    .execute()
}

/** Status and text that the protocol's clients know. */
const REFUSALS = {
  update_user: [401, 'AAL2 session is required to update email or password when MFA is enabled.'],
  enroll: [403, 'AAL2 required to enroll a new factor'],
  unenroll: [422, 'AAL2 required to unenroll verified factor'],
  passkeys: [403, 'AAL2 session is required to manage passkeys when MFA is enabled'],
  own_account: [403, 'AAL2 session is required'],
} as const

/** Whether a session still has to show a second factor: there is one that counts, and it was not shown. */
export function lacksSecondFactor(aal: string | undefined, verifiedFactors: number): boolean {
  return verifiedFactors > 0 && aal !== 'aal2'
}

export function hasSecondFactor({ factors }: Pick<AccountState, 'factors'>): boolean {
  return factors.some(({ status }) => status === 'verified')
}

/**
 * Who has a second factor changes how they sign in only after having shown it. `shown` is a factor that is being shown
 * with this very call: it suffices if it counts.
 */
export function requireSecondFactor(
  { factors, session }: AccountState,
  operation: keyof typeof REFUSALS,
  shown?: string,
): void {
  const verified = factors.filter(({ status }) => status === 'verified')
  if (!lacksSecondFactor(session?.aal, verified.length) || verified.some(({ id }) => id === shown)) return
  const [status, message] = REFUSALS[operation]
  throw authError(status, 'insufficient_aal', message)
}

const SECOND_FACTORS = ['totp', 'mfa/webauthn', 'recovery_code'] as const

/**
 * The session has shown a second factor. Its browser's login is raised with it, so that a reload and the other tabs
 * need no new code; whatever else of this person knows only the password ends.
 */
export async function raiseSession(
  context: Pick<AuthContext, 'refreshSecret'>,
  { trx, session }: LockedAccount,
  method: (typeof SECOND_FACTORS)[number],
  now = new Date(),
): Promise<OpenSession> {
  if (session === null)
    throw authError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  const amr: Amr = [
    { method, timestamp: Math.floor(now.getTime() / 1000) },
    ...session.amr.filter((entry) => entry.method !== method),
  ]
  const raised = { aal: 'aal2' as const, amr: JSON.stringify(amr) }
  if (session.login_id !== null) {
    await trx.updateTable('auth_logins').set(raised).where('id', '=', session.login_id).execute()
    await trx.updateTable('auth_sessions').set(raised).where('login_id', '=', session.login_id).execute()
  }
  await trx.updateTable('auth_sessions').set(raised).where('id', '=', session.id).execute()
  for (const table of ['auth_logins', 'auth_sessions'] as const)
    await trx.deleteFrom(table).where('user_id', '=', session.user_id).where('aal', '=', 'aal1').execute()
  const refreshToken = await renewRefreshToken(context, trx, session.id, now)
  return { sessionId: session.id, aal: 'aal2', amr, refreshToken }
}

/** After a verified factor is gone, nothing of this person counts as having shown one. */
export async function lowerSessions(account: LockedAccount): Promise<void> {
  const { trx, user } = account
  for (const table of ['auth_logins', 'auth_sessions'] as const) {
    const raised = await trx
      .selectFrom(table)
      .select(['id', 'amr'])
      .where('user_id', '=', user.id)
      .where('aal', '=', 'aal2')
      .execute()
    for (const { id, amr } of raised) {
      const rest = JSON.stringify(
        amr.filter(({ method }) => !(SECOND_FACTORS as readonly string[]).includes(method)),
      )
      await trx.updateTable(table).set({ aal: 'aal1', amr: rest }).where('id', '=', id).execute()
    }
  }
  const left = await trx
    .selectFrom('auth_factors')
    .select('id')
    .where('user_id', '=', user.id)
    .where('status', '=', 'verified')
    .executeTakeFirst()
  // A recovery code stands in for a factor; without one it opens nothing.
  if (left === undefined) await deleteRecoveryCodes(account)
}
