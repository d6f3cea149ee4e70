import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { limitByAddress } from '#server/auth/protocol/limit-calls.ts'
import { readBody, text } from '#server/auth/protocol/read-body.ts'
import { amrOf } from '#server/auth/sessions/open-session.ts'
import { signIn } from '#server/auth/sessions/sign-in.ts'
import { assertionOptions, verifyAssertion } from '#server/auth/webauthn/assertion.ts'
import { type PasskeyRow, recordUse } from '#server/auth/webauthn/passkey-rows.ts'
import { type Credential, credential, verificationFailed } from '#server/auth/webauthn/read-credential.ts'
import type { Db } from '#server/db/database.ts'

const body = z.object({ challenge_id: text, credential })

/** The key names its owner, so nobody is asked who they are; nor for a second factor, which the device has checked. */
export function registerPasskeySignIn(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.post('/passkeys/authentication/options', async (request) => {
    limitByAddress(context, request, 'passkey')
    const { challenge, options } = await assertionOptions(context, 'sign-in')
    return { challenge_id: challenge.id, options, expires_at: Math.floor(challenge.expiresAt / 1000) }
  })
  scope.post('/passkeys/authentication/verify', async (request, reply) => {
    const input = readBody(body, request)
    limitByAddress(context, request, 'passkey')
    const { key, signCount } = await verifyAssertion(context, {
      challengeId: input.challenge_id,
      purpose: 'sign-in',
      credential: input.credential,
      findKey: () => findSignInKey(db, input.credential),
    })
    return signIn(context, {
      request,
      reply,
      userId: key.user_id,
      amr: amrOf('passkey'),
      status: 403,
      unknown: verificationFailed,
      admit: async (account) => {
        await recordUse(account, key, signCount)
        return true
      },
    })
  })
}

/** The authenticator names the key and the person; both must be what we stored. */
function findSignInKey(db: Db, { id, response }: Credential): Promise<PasskeyRow | undefined> {
  const owner = Buffer.from(response.userHandle ?? '', 'base64url').toString('utf8')
  return db
    .selectFrom('auth_passkeys')
    .selectAll()
    .where('credential_id', '=', id)
    .where('factor_id', 'is', null)
    .executeTakeFirst()
    .then((key) => (key?.user_id === owner ? key : undefined))
}
