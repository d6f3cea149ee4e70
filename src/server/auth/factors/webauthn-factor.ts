import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { sendNotice } from '../account-mail.ts'
import { changeAccount, type LockedAccount } from '../accounts/change-account.ts'
import { type FactorRow, type SessionRow, withFactors } from '../accounts/users.ts'
import type { OwnAccount } from '../caller.ts'
import type { AuthContext } from '../context.ts'
import { text, validationFailed } from '../protocol.ts'
import { type SessionObject, toSessionObject } from '../sessions/tokens.ts'
import {
  acceptFactor,
  limitFactorCalls,
  markChallenged,
  raiseSession,
  rememberSecondStep,
  requireFactor,
  requireSecondFactor,
  showSecondStep,
} from './second-factor.ts'
import {
  assertionOptions,
  type ChallengePurpose,
  type Credential,
  creationOptions,
  credential,
  findPasskeys,
  insertPasskey,
  recordUse,
  verifyAssertion,
  verifyCreation,
} from './webauthn.ts'

export const shownKey = z.object({ type: text, credential_response: z.nullish(credential) })

interface Shown extends Pick<OwnAccount, 'user' | 'session' | 'who'> {
  request: FastifyRequest
  reply: FastifyReply
  factor: FactorRow
  challengeId: string
  webauthn: z.output<typeof shownKey> | null | undefined
}

/** Verifies the answer of a hardware key: it verifies a new factor or shows a verified one. Both raise the session. */
export async function verifyKey(context: AuthContext, shown: Shown): Promise<SessionObject> {
  const { request, reply, user, session, who, factor, challengeId, webauthn } = shown
  if (webauthn == null) throw validationFailed('WebAuthn config required')
  const response = webauthn.credential_response
  if (response == null) throw validationFailed('credential_response is required')
  refuseOtherType(factor, webauthn.type)
  await limitFactorCalls(context, request, session)
  const isNew = factor.status === 'unverified'
  const raise = () =>
    changeAccount(context.db, who, {
      prepare: () => prove(context, shown, challengeId, response),
      write: async (account, spend) => {
        const current = requireFactor(account, factor.id)
        // The factor was verified meanwhile: another key would be a second one.
        refuseOtherType(current, webauthn.type)
        requireSecondFactor(account, 'enroll', factor.id)
        await spend(account)
        await acceptFactor(account, current)
        if (isNew)
          await sendNotice(context, account.trx, { user: account.user, kind: 'factor-added', by: 'self' })
        return raiseSession(context, account, 'mfa/webauthn')
      },
    })
  const raised = isNew ? await raise() : await showSecondStep(context, shown, raise)
  if (isNew) rememberSecondStep(context, request, reply, user.id)
  return toSessionObject(context, await withFactors(context.db, user), raised)
}

function refuseOtherType({ status }: FactorRow, type: string): void {
  const expected = status === 'unverified' ? 'create' : 'request'
  if (type !== expected) throw validationFailed(`WebAuthn type must be ${expected} for this factor`)
}

/** Verifies the answer outside of a transaction; returns what writes the key's row inside one. */
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

interface KeyChallenge extends Pick<OwnAccount, 'user' | 'session' | 'who'> {
  factor: FactorRow
}

/** The challenge of a WebAuthn factor: to create its key, or to show a verified one. */
export async function challengeKey(
  context: AuthContext,
  { user, session, who, factor }: KeyChallenge,
): Promise<object> {
  const purpose = factorPurpose(session, factor)
  const isNew = factor.status === 'unverified'
  const keys = (await findPasskeys(context.db, user.id, 'all')).filter((key) => key.factor_id === factor.id)
  const { challenge, options } = isNew
    ? await creationOptions(context, user, { purpose, discoverable: false })
    : await assertionOptions(context, purpose, keys)
  await changeAccount(context.db, who, {
    write: async (account) => {
      requireFactor(account, factor.id)
      await markChallenged(account, factor.id, new Date().toISOString())
    },
  })
  return {
    id: challenge.id,
    type: 'webauthn',
    expires_at: Math.floor(challenge.expiresAt / 1000),
    webauthn: { type: isNew ? 'create' : 'request', credential_options: { publicKey: options } },
  }
}

/** Bound to session and factor. */
function factorPurpose(session: SessionRow, factor: FactorRow): ChallengePurpose {
  return `factor:${factor.id}:${session.id}`
}
