import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { AuthContext } from '../auth-context.ts'
import { type Challenge, type ChallengePurpose, makeChallenge, spendChallenge } from './challenge.ts'
import type { PasskeyRow } from './passkey-rows.ts'
import { type Credential, readClientData, verificationFailed } from './read-credential.ts'
import { allowedOrigins, relyingParty } from './relying-party.ts'

/** What an authenticator needs to show a key: any of this site, or one of those named. */
export async function assertionOptions(
  context: AuthContext,
  purpose: ChallengePurpose,
  keys: readonly PasskeyRow[] = [],
): Promise<{ challenge: Challenge; options: object }> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const challenge = makeChallenge(context, purpose)
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(context).id,
    challenge: challenge.challenge,
    userVerification: 'required',
    ...(keys.length === 0
      ? {}
      : { allowCredentials: keys.map((key) => ({ id: key.credential_id, transports: key.transports })) }),
  })
  return { challenge, options }
}

interface ShownKey {
  challengeId: string
  purpose: ChallengePurpose
  credential: Credential
  /** The key that the answer names, looked up once the challenge is spent. */
  findKey: () => Promise<PasskeyRow | undefined>
}

/** Gives the key and its counter after this use; the counter must have gone up, where the authenticator has one. */
export async function verifyAssertion(
  context: AuthContext,
  { challengeId, purpose, credential, findKey }: ShownKey,
): Promise<{ key: PasskeyRow; signCount: number }> {
  const { challenge, origin } = readClientData(credential)
  await spendChallenge(context, { id: challengeId, purpose, challenge })
  const key = await findKey()
  if (key === undefined) throw verificationFailed()
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: credential as unknown as AuthenticationResponseJSON,
      expectedChallenge: Buffer.from(challenge).toString('base64url'),
      expectedOrigin: allowedOrigins(context, origin),
      expectedRPID: relyingParty(context).id,
      requireUserVerification: true,
      credential: {
        id: key.credential_id,
        publicKey: new Uint8Array(Buffer.from(key.public_key, 'base64url')),
        counter: key.sign_count,
      },
    })
    if (verified) return { key, signCount: authenticationInfo.newCounter }
  } catch (error) {
    throw verificationFailed(error)
  }
  throw verificationFailed()
}
