import type { FastifyReply, FastifyRequest } from 'fastify'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import { addressBlock } from '#server/http/address-block.ts'
import { AppError } from '#server/http/app-error.ts'
import { clientAddress } from '#server/http/client-address.ts'
import { SECOND_STEP } from '#server/http/limits.ts'
import { countGuess, countHit, forgetHits, giveBackGuess } from '#server/http/rate-limit.ts'
import type { AuthContext } from '../auth-context.ts'
import { sendNotice } from '../mail/send-notice.ts'
import { rateLimited } from '../protocol/auth-error.ts'
import { readDevice, rememberDevice } from '../sessions/device-cookie.ts'
import { isFromDashboard } from '../sessions/login-cookie.ts'
import type { SessionRow, UserRow } from '../users/user-object.ts'

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
      await recordAudit(context.db, { actor_id, actor, action: 'auth.second_step_failed', subject: user.id })
      if (isRepeated) sendNotice(context, { user, kind: 'second-step-failed', by: 'password-holder' })
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
