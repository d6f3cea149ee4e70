import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { OwnAccount } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { validationFailed } from '#server/auth/protocol/auth-error.ts'
import { text } from '#server/auth/protocol/read-body.ts'
import {
  limitFactorCalls,
  rememberSecondStep,
  showSecondStep,
} from '#server/auth/second-factors/factor-limits.ts'
import { acceptFactor, requireFactor } from '#server/auth/second-factors/factor-rows.ts'
import { requireSecondFactor } from '#server/auth/second-factors/second-factor.ts'
import { raiseSession } from '#server/auth/sessions/session-level.ts'
import { type SessionObject, toSessionObject } from '#server/auth/sessions/session-object.ts'
import { changeAccount, type LockedAccount } from '#server/auth/users/change-account.ts'
import { withFactors } from '#server/auth/users/find-user.ts'
import type { FactorRow } from '#server/auth/users/user-object.ts'
import { verifyAssertion } from '#server/auth/webauthn/assertion.ts'
import { verifyCreation } from '#server/auth/webauthn/creation.ts'
import { insertPasskey, recordUse } from '#server/auth/webauthn/passkey-rows.ts'
import { type Credential, credential } from '#server/auth/webauthn/read-credential.ts'
import { factorPurpose } from './challenge-key.ts'

export const shownKey = z.object({ type: text, credential_response: z.nullish(credential) })

interface Shown extends Pick<OwnAccount, 'user' | 'session' | 'who'> {
  request: FastifyRequest
  reply: FastifyReply
  factor: FactorRow
  challengeId: string
  webauthn: z.output<typeof shownKey> | null | undefined
}

/** The answer of a device's key: it makes a new factor count, or shows one that does; either raises the session. */
export async function verifyKey(context: AuthContext, shown: Shown): Promise<SessionObject> {
  const { request, reply, user, session, who, factor, challengeId, webauthn } = shown
  if (webauthn == null) throw validationFailed('WebAuthn config required')
  const response = webauthn.credential_response
  if (response == null) throw validationFailed('credential_response is required')
  refuseOtherType(factor, webauthn.type)
  await limitFactorCalls(context, request, session)
  const raise = () =>
    changeAccount(context.db, who, {
      prepare: () => prove(context, shown, challengeId, response),
      write: async (account, spend) => {
        const current = requireFactor(account, factor.id)
        // A key that was made for a factor that counts by now would be a second one.
        refuseOtherType(current, webauthn.type)
        requireSecondFactor(account, 'enroll', factor.id)
        await spend(account)
        await acceptFactor(account, current)
        return raiseSession(context, account, 'mfa/webauthn')
      },
    })
  const isNew = factor.status === 'unverified'
  const raised = isNew ? await raise() : await showSecondStep(context, shown, raise)
  if (isNew) rememberSecondStep(context, request, reply, user.id)
  if (isNew) sendNotice(context, { user, kind: 'factor-added', by: 'self' })
  return toSessionObject(context, await withFactors(context.db, user), raised)
}

function refuseOtherType({ status }: FactorRow, type: string): void {
  const expected = status === 'unverified' ? 'create' : 'request'
  if (type !== expected) throw validationFailed(`WebAuthn type must be ${expected} for this factor`)
}

/** Proves the answer outside of any transaction; what it gives writes the key's row inside one. */
async function prove(
  context: AuthContext,
  { session, factor }: Shown,
  challengeId: string,
  response: Credential,
): Promise<(account: LockedAccount) => Promise<unknown>> {
  const purpose = factorPurpose(session, factor)
  if (factor.status === 'unverified') {
    const made = await verifyCreation(context, { challengeId, purpose, credential: response })
    return (account) => insertPasskey(account, { factorId: factor.id, credential: made })
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
  return (account) => recordUse(account, key, signCount)
}
