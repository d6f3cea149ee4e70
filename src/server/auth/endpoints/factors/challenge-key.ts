import type { SessionRow } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import type { FactorRow, UserRow } from '#server/auth/users/user-object.ts'
import { assertionOptions } from '#server/auth/webauthn/assertion.ts'
import type { ChallengePurpose } from '#server/auth/webauthn/challenge.ts'
import { creationOptions } from '#server/auth/webauthn/creation.ts'
import { findPasskeys } from '#server/auth/webauthn/passkey-rows.ts'

/** The challenge of a WebAuthn factor: to make its key while it does not count yet, to show that key afterwards. */
export async function challengeKey(
  context: AuthContext,
  user: UserRow,
  session: SessionRow,
  factor: FactorRow,
): Promise<object> {
  const purpose = factorPurpose(session, factor)
  const isNew = factor.status === 'unverified'
  const keys = (await findPasskeys(context.db, user.id, 'all')).filter((key) => key.factor_id === factor.id)
  const { challenge, options } = isNew
    ? await creationOptions(context, user, { purpose, discoverable: false })
    : await assertionOptions(context, purpose, keys)
  await context.db
    .updateTable('auth_factors')
    .set({ last_challenged_at: new Date().toISOString() })
    .where('id', '=', factor.id)
    .execute()
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
