import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { MINUTE_MS } from '#contract/durations.ts'
import { recordAudit } from '#server/activity/trail.ts'
import type { Db } from '#server/db/database.ts'
import { aheadRange } from '#server/db/time.ts'
import { change } from '#server/db/transactions/change.ts'
import { AppError } from '#server/http/errors.ts'
import { countGuess, forgetHits, giveBackGuess } from '#server/http/limits/counter.ts'
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

/** The protocol's limit for challenges and answers of one person. */
export async function limitFactorCalls(
  context: AuthContext,
  request: FastifyRequest,
  session: SessionRow,
): Promise<void> {
  const { own, strangers } = countedAs(context, request, session)
  const limits = [
    { key: `factor:calls:${own}`, limit: SECOND_STEP.calls },
    ...(strangers === null ? [] : [{ key: `factor:calls:${strangers}`, limit: SECOND_STEP.strangerCalls }]),
  ]
  for (const { key, limit } of limits) {
    const counted = await countGuess(context.db, key, limit)
    if ('waitSeconds' in counted) throw rateLimited(counted.waitSeconds)
  }
}

/**
 * Runs `check`, which throws for a wrong code or key. Wrong answers are counted, audited and, if they continue, emailed
 * to the owner. After a right one the browser is known, and its guesses are counted separately.
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

/** Marks a browser of the dashboard as having passed the second step. */
export function rememberSecondStep(
  { deviceSecret, origins }: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  userId: string,
): void {
  if (isFromDashboard(request, origins)) rememberDevice(request, reply, deviceSecret, userId, 'aal2')
}

/** The key for counting: a browser or session that passed the second step before, or an address. */
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

/** Counts under both keys or neither. Returns true if the owner should be emailed about a wrong guess. */
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

/** An unfinished enrolment is deleted by the next one after this time. */
const UNFINISHED_MS = 10 * MINUTE_MS

/** How far the last used step can be ahead: both may drift by one, and clocks of processes by a minute. */
const STEPS_AHEAD = 4

interface NewFactor {
  name: string
  kind: FactorRow['kind']
  secret: string
}

/** Returns the id of an unverified factor. */
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
      secret: await secrets.encrypt(trx, factorSecretPlace(id), secret),
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

/** A code works once (RFC 6238, 5.2): a second use finds its step spent. */
export async function spendStep({ trx }: LockedAccount, id: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('auth_factors')
    .set({ last_used_step: step, updated_at: new Date().toISOString() })
    .where('id', '=', id)
    .where((eb) =>
      eb.or([
        eb('last_used_step', 'is', null),
        eb('last_used_step', '<', step),
        // A code of this step cannot exist yet: the clock was set back.
        eb('last_used_step', '>', step + STEPS_AHEAD),
      ]),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Marks the factor as verified and deletes other unfinished enrolments. */
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

/** True if a verified factor exists and this session has not shown one. */
export function lacksSecondFactor(aal: string | undefined, verifiedFactors: number): boolean {
  return verifiedFactors > 0 && aal !== 'aal2'
}

export function hasSecondFactor({ factors }: Pick<AccountState, 'factors'>): boolean {
  return factors.some(({ status }) => status === 'verified')
}

/**
 * People with a second factor must show it before they change their sign-in. `shown` is a factor verified by this very
 * call.
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
 * Raises the session and its browser's login, so that a reload and other tabs need no new code. All other `aal1`
 * sessions of the person end.
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

/** After a verified factor was removed, all sessions of this person return to `aal1`. */
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
  // Without a factor, recovery codes have no use.
  if (left === undefined) await deleteRecoveryCodes(account)
}
