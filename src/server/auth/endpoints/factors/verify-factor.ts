import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { isUuid } from '#contract/uuid.ts'
import { requireUser, type SessionRow } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { authError, validationFailed } from '#server/auth/protocol/auth-error.ts'
import { readBody, text } from '#server/auth/protocol/read-body.ts'
import {
  limitFactorCalls,
  rememberSecondStep,
  showSecondStep,
} from '#server/auth/second-factors/factor-limits.ts'
import { factorSecretPlace } from '#server/auth/second-factors/factor-secret-place.ts'
import { raiseSession } from '#server/auth/second-factors/raise-session.ts'
import { matchTotp } from '#server/auth/second-factors/totp.ts'
import { toSessionObject } from '#server/auth/sessions/session-object.ts'
import { withFactors } from '#server/auth/users/find-user.ts'
import { lockUser } from '#server/auth/users/lock-user.ts'
import type { FactorRow, UserRow } from '#server/auth/users/user-object.ts'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import { isStillAhead } from '#server/db/stored-time.ts'
import { CHALLENGE_MS } from './challenge-factor.ts'
import { findOwnFactor } from './find-own-factor.ts'
import { requireAal2ToEnroll } from './require-aal2-to-enroll.ts'
import { shownKey, verifyKey } from './verify-key.ts'

const body = z.object({ challenge_id: text, code: text, webauthn: z.nullish(shownKey) })
/** How far ahead of a code's own step the last used one can be: both may drift by a step, and replicas by a minute. */
const STEPS_AHEAD = 4

/** The right code makes the factor count and raises the session that showed it. */
export function registerVerifyFactor(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.post('/factors/:id/verify', async (request, reply) => {
    const { challenge_id: challengeId, code, webauthn } = readBody(body, request)
    const { user, session } = await requireUser(context, request)
    const factor = await findOwnFactor(db, request, user.id)
    if (factor.kind === 'webauthn')
      return verifyKey(context, { request, reply, user, session, factor, challengeId, webauthn })
    if (code === '') throw validationFailed('Code needs to be non-empty')
    await limitFactorCalls(context, request, session)
    await requireChallenge(db, factor, challengeId)
    const raise = () => raiseByCode(context, { user, session, factor, challengeId, code })
    if (factor.status === 'verified') {
      const raised = await showSecondStep(context, { request, reply, user, session }, raise)
      return toSessionObject(context, await withFactors(db, user), raised)
    }
    // Whoever sets an app up has its secret: there is nothing to guess.
    const raised = await raise()
    rememberSecondStep(context, request, reply, user.id)
    sendNotice(context, { user, kind: 'factor-added', by: 'self' })
    return toSessionObject(context, await withFactors(db, user), raised)
  })
}

interface ShownCode {
  user: UserRow
  session: SessionRow
  factor: FactorRow
  challengeId: string
  code: string
}

async function raiseByCode(context: AuthContext, { user, session, factor, challengeId, code }: ShownCode) {
  const secret = await context.secrets.open(factorSecretPlace(factor.id), factor.secret)
  const step = matchTotp(secret, code)
  if (step === null) throw wrongCode()
  return change(context.db, async (trx) => {
    await lockUser(trx, user.id)
    await requireAal2ToEnroll(trx, session, factor.id)
    if (!(await spend(trx, factor, challengeId, step))) throw wrongCode()
    if (factor.status === 'unverified') {
      await recordAudit(trx, {
        actor_id: user.id,
        actor: user.email,
        action: 'auth.factor_verified',
        subject: user.id,
        after: { factor_id: factor.id },
      })
    }
    return raiseSession(context, trx, session, 'totp')
  })
}

async function requireChallenge(db: Db, factor: FactorRow, challengeId: string): Promise<void> {
  const challenge = isUuid(challengeId)
    ? await db
        .selectFrom('auth_challenges')
        .selectAll()
        .where('id', '=', challengeId.toLowerCase())
        .where('factor_id', '=', factor.id)
        .executeTakeFirst()
    : undefined
  if (challenge === undefined)
    throw authError(422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found')
  // The protocol's answer to a challenge that was met already.
  if (challenge.verified_at !== null)
    throw authError(422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.')
  if (!isStillAhead(challenge.expires_at, CHALLENGE_MS, Date.now()))
    throw authError(
      422,
      'mfa_challenge_expired',
      `MFA challenge ${challenge.id} has expired, verify against another challenge or create a new challenge.`,
    )
}

/** A code is good once (RFC 6238, 5.2): of two that come with the same one, the second finds its step gone. */
async function spend(trx: Db, factor: FactorRow, challengeId: string, step: number): Promise<boolean> {
  const now = new Date().toISOString()
  const { numUpdatedRows } = await trx
    .updateTable('auth_factors')
    .set({ status: 'verified', last_used_step: step, updated_at: now })
    .where('id', '=', factor.id)
    .where((eb) =>
      eb.or([
        eb('last_used_step', 'is', null),
        eb('last_used_step', '<', step),
        // No code of this step could have been shown yet: the clock was set back since.
        eb('last_used_step', '>', step + STEPS_AHEAD),
      ]),
    )
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await trx
    .updateTable('auth_challenges')
    .set({ verified_at: now })
    .where('id', '=', challengeId.toLowerCase())
    .execute()
  await trx
    .deleteFrom('auth_factors')
    .where('user_id', '=', factor.user_id)
    .where('status', '=', 'unverified')
    .execute()
  return true
}

function wrongCode(): Error {
  return authError(422, 'mfa_verification_failed', 'Invalid TOTP code entered')
}
