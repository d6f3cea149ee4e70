import type { RegistrationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server'
import type { AuthContext } from '../auth-context.ts'
import type { UserRow } from '../users/user-object.ts'
import { type Challenge, type ChallengePurpose, makeChallenge, spendChallenge } from './challenge.ts'
import { findPasskeys } from './passkey-rows.ts'
import { type Credential, readClientData, verificationFailed } from './read-credential.ts'
import { allowedOrigins, relyingParty } from './relying-party.ts'

/** What an authenticator needs to make a key for this person. Loaded when somebody asks, which few do. */
export async function creationOptions(
  context: AuthContext,
  user: UserRow,
  { purpose, discoverable }: { purpose: ChallengePurpose; discoverable: boolean },
): Promise<{ challenge: Challenge; options: object }> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  const challenge = makeChallenge(context, purpose)
  const { id, name } = relyingParty(context)
  const known = await findPasskeys(context.db, user.id, 'all')
  const options = await generateRegistrationOptions({
    rpName: name,
    rpID: id,
    userID: new TextEncoder().encode(user.id),
    userName: user.email,
    userDisplayName: user.email,
    challenge: challenge.challenge,
    attestationType: 'none',
    excludeCredentials: known.map((key) => ({ id: key.credential_id, transports: key.transports })),
    authenticatorSelection: {
      residentKey: discoverable ? 'required' : 'preferred',
      userVerification: 'required',
    },
  })
  return { challenge, options }
}

/** The key that the authenticator made, once its answer to the challenge is proved. */
export async function verifyCreation(
  context: AuthContext,
  shown: { challengeId: string; purpose: ChallengePurpose; credential: Credential },
): Promise<WebAuthnCredential> {
  const { challenge, origin } = readClientData(shown.credential)
  await spendChallenge(context, { id: shown.challengeId, purpose: shown.purpose, challenge })
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: shown.credential as unknown as RegistrationResponseJSON,
      expectedChallenge: Buffer.from(challenge).toString('base64url'),
      expectedOrigin: allowedOrigins(context, origin),
      expectedRPID: relyingParty(context).id,
      requireUserVerification: true,
    })
    if (verified && registrationInfo !== undefined) return registrationInfo.credential
  } catch (error) {
    throw verificationFailed(error)
  }
  throw verificationFailed()
}
