import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { SessionRow } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { authError, validationFailed } from '#server/auth/protocol/auth-error.ts'
import { text } from '#server/auth/protocol/read-body.ts'
import {
  limitFactorCalls,
  rememberSecondStep,
  showSecondStep,
} from '#server/auth/second-factors/factor-limits.ts'
import { raiseSession } from '#server/auth/second-factors/raise-session.ts'
import { type SessionObject, toSessionObject } from '#server/auth/sessions/session-object.ts'
import { withFactors } from '#server/auth/users/find-user.ts'
import { lockUser } from '#server/auth/users/lock-user.ts'
import type { FactorRow, UserRow } from '#server/auth/users/user-object.ts'
import { verifyAssertion } from '#server/auth/webauthn/assertion.ts'
import { verifyCreation } from '#server/auth/webauthn/creation.ts'
import { insertPasskey, recordUse } from '#server/auth/webauthn/passkey-rows.ts'
import { type Credential, credential } from '#server/auth/webauthn/read-credential.ts'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import { factorPurpose } from './challenge-key.ts'
import { requireAal2ToEnroll } from './require-aal2-to-enroll.ts'

export const shownKey = z.object({ type: text, credential_response: z.nullish(credential) })

interface Shown {
  request: FastifyRequest
  reply: FastifyReply
  user: UserRow
  session: SessionRow
  factor: FactorRow
  challengeId: string
  webauthn: z.output<typeof shownKey> | null | undefined
}

/** The answer of a device's key: it makes a new factor count, or shows one that does; either raises the session. */
export async function verifyKey(context: AuthContext, shown: Shown): Promise<SessionObject> {
  const { request, reply, user, session, factor, challengeId, webauthn } = shown
  if (webauthn == null) throw validationFailed('WebAuthn config required')
  if (webauthn.credential_response == null) throw validationFailed('credential_response is required')
  const isNew = factor.status === 'unverified'
  if (webauthn.type !== (isNew ? 'create' : 'request'))
    throw validationFailed(`WebAuthn type must be ${isNew ? 'create' : 'request'} for this factor`)
  await limitFactorCalls(context, request, session)
  const response = webauthn.credential_response
  const raise = async () => {
    const spend = await prove(context, shown, challengeId, response)
    return change(context.db, async (trx) => {
      await lockUser(trx, user.id)
      await requireAal2ToEnroll(trx, session, isNew ? undefined : factor.id)
      await spend(trx)
      if (isNew) await makeCount(trx, user, factor)
      return raiseSession(context, trx, session, 'mfa/webauthn')
    })
  }
  const raised = isNew ? await raise() : await showSecondStep(context, shown, raise)
  if (isNew) rememberSecondStep(context, request, reply, user.id)
  if (isNew) sendNotice(context, { user, kind: 'factor-added', by: 'self' })
  return toSessionObject(context, await withFactors(context.db, user), raised)
}

/** Proves the answer outside of any transaction; what it gives writes the key's row inside one. */
async function prove(
  context: AuthContext,
  { user, session, factor }: Shown,
  challengeId: string,
  response: Credential,
): Promise<(trx: Db) => Promise<unknown>> {
  const purpose = factorPurpose(session, factor)
  if (factor.status === 'unverified') {
    const made = await verifyCreation(context, { challengeId, purpose, credential: response })
    return (trx) => insertPasskey(trx, { userId: user.id, factorId: factor.id, credential: made })
  }
  const { key, signCount } = await verifyAssertion(context, {
    challengeId,
    purpose,
    credential: response,
    findKey: () =>
      context.db
        .selectFrom('auth_passkeys')
        .selectAll()
        .where('credential_id', '=', response.id)
        .where('factor_id', '=', factor.id)
        .executeTakeFirst(),
  })
  return (trx) => recordUse(trx, key, signCount)
}

async function makeCount(trx: Db, user: UserRow, factor: FactorRow): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('auth_factors')
    .set({ status: 'verified', updated_at: new Date().toISOString() })
    .where('id', '=', factor.id)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw authError(404, 'mfa_factor_not_found', 'Factor not found')
  await trx
    .deleteFrom('auth_factors')
    .where('user_id', '=', user.id)
    .where('status', '=', 'unverified')
    .execute()
  await recordAudit(trx, {
    actor_id: user.id,
    actor: user.email,
    action: 'auth.factor_verified',
    subject: user.id,
    after: { factor_id: factor.id },
  })
}
