import type { OwnAccount } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { markChallenged, requireFactor } from '#server/auth/second-factors/factor-rows.ts'
import { changeAccount } from '#server/auth/users/change-account.ts'
import type { FactorRow, SessionRow } from '#server/auth/users/user-object.ts'
import { assertionOptions } from '#server/auth/webauthn/assertion.ts'
import type { ChallengePurpose } from '#server/auth/webauthn/challenge.ts'
import { creationOptions } from '#server/auth/webauthn/creation.ts'
import { findPasskeys } from '#server/auth/webauthn/passkey-rows.ts'

interface KeyChallenge extends Pick<OwnAccount, 'user' | 'session' | 'who'> {
  factor: FactorRow
}

/** The challenge of a WebAuthn factor: to make its key while it does not count yet, to show that key afterwards. */
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

/** Bound to the session and the factor that asked. */
export function factorPurpose(session: SessionRow, factor: FactorRow): ChallengePurpose {
  return `factor:${factor.id}:${session.id}`
}
