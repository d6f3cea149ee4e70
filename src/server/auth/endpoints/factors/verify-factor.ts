import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { isUuid } from '#contract/uuid.ts'
import { requireUser } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { authError, validationFailed } from '#server/auth/protocol/auth-error.ts'
import { readBody, text } from '#server/auth/protocol/read-body.ts'
import {
  limitFactorCalls,
  rememberSecondStep,
  showSecondStep,
} from '#server/auth/second-factors/factor-limits.ts'
import { acceptFactor, requireFactor, spendStep } from '#server/auth/second-factors/factor-rows.ts'
import { factorSecretPlace } from '#server/auth/second-factors/factor-secret-place.ts'
import { requireSecondFactor } from '#server/auth/second-factors/second-factor.ts'
import { matchTotp } from '#server/auth/second-factors/totp.ts'
import { raiseSession } from '#server/auth/sessions/session-level.ts'
import { toSessionObject } from '#server/auth/sessions/session-object.ts'
import { changeAccount, type LockedAccount, type Who } from '#server/auth/users/change-account.ts'
import { withFactors } from '#server/auth/users/find-user.ts'
import type { FactorRow } from '#server/auth/users/user-object.ts'
import type { Db } from '#server/db/database.ts'
import { isStillAhead } from '#server/db/stored-time.ts'
import { CHALLENGE_MS } from './challenge-factor.ts'
import { findOwnFactor } from './find-own-factor.ts'
import { shownKey, verifyKey } from './verify-key.ts'

const body = z.object({ challenge_id: text, code: text, webauthn: z.nullish(shownKey) })

/** The right code makes the factor count and raises the session that showed it. */
export function registerVerifyFactor(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.post('/factors/:id/verify', async (request, reply) => {
    const { challenge_id: challengeId, code, webauthn } = readBody(body, request)
    const { user, session, who } = await requireUser(context, request)
    const factor = await findOwnFactor(db, request, user.id)
    if (factor.kind === 'webauthn')
      return verifyKey(context, { request, reply, user, session, who, factor, challengeId, webauthn })
    if (code === '') throw validationFailed('Code needs to be non-empty')
    await limitFactorCalls(context, request, session)
    await requireChallenge(db, factor, challengeId)
    const raise = () => raiseByCode(context, { who, factor, challengeId, code })
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
  who: Who
  factor: FactorRow
  challengeId: string
  code: string
}

async function raiseByCode(context: AuthContext, { who, factor, challengeId, code }: ShownCode) {
  const secret = await context.secrets.open(factorSecretPlace(factor.id), factor.secret)
  const step = matchTotp(secret, code)
  if (step === null) throw wrongCode()
  return changeAccount(context.db, who, {
    check: (account) => requireSecondFactor(account, 'enroll', factor.id),
    write: async (account) => {
      const current = requireFactor(account, factor.id)
      // It counts since: from now on, answers are guesses and counted as such.
      if (current.status !== factor.status) throw wrongCode()
      if (!(await spendStep(account, factor.id, step))) throw wrongCode()
      await spendChallenge(account, challengeId)
      await acceptFactor(account, current)
      return raiseSession(context, account, 'totp')
    },
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
  if (challenge.verified_at !== null) throw metAlready()
  if (!isStillAhead(challenge.expires_at, CHALLENGE_MS, Date.now()))
    throw authError(
      422,
      'mfa_challenge_expired',
      `MFA challenge ${challenge.id} has expired, verify against another challenge or create a new challenge.`,
    )
}

/** Of two that meet one challenge, one does. */
async function spendChallenge({ trx }: LockedAccount, id: string): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('auth_challenges')
    .set({ verified_at: new Date().toISOString() })
    .where('id', '=', id.toLowerCase())
    .where('verified_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw metAlready()
}

/** The protocol's answer to a challenge that was met already. */
function metAlready(): Error {
  return authError(422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.')
}

function wrongCode(): Error {
  return authError(422, 'mfa_verification_failed', 'Invalid TOTP code entered')
}
