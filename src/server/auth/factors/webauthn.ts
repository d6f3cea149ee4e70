import { randomUUID } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server'
import type { FastifyRequest } from 'fastify'
import type { Selectable } from 'kysely'
import * as z from 'zod/mini'
import { isLoopbackHost } from '#contract/public-host.ts'
import { isUuid } from '#contract/uuid.ts'
import type { Db } from '#server/db/database.ts'
import type { AuthPasskeys } from '#server/db/schema/auth.ts'
import { isUnexpired } from '#server/db/time.ts'
import { AppError } from '#server/http/errors.ts'
import { isSameSecret, keyedHash } from '#server/secrets/tokens.ts'
import { sendNotice } from '../account-mail.ts'
import { changeAccount, type LockedAccount, type Who } from '../accounts/change-account.ts'
import type { UserRow } from '../accounts/users.ts'
import type { AuthContext } from '../context.ts'
import { authError, validationFailed } from '../protocol.ts'
import { requireSecondFactor } from './second-factor.ts'

/** Options for an authenticator to show a key: any of this site, or one of those listed. */
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
  /** The key in the answer, looked up after the challenge was spent. */
  findKey: () => Promise<PasskeyRow | undefined>
}

/** Returns the key and its new counter, which must have increased if the authenticator has one. */
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

/** Options for creating a key. The library is loaded on demand. */
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

/** The new key, once the answer to the challenge is verified. */
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

/** How long a challenge may be answered, of a key or a code. */
export const CHALLENGE_MS = 300_000

/** What a challenge may be used for. */
export type ChallengePurpose = 'sign-in' | `register:${string}:${string}` | `factor:${string}:${string}`

interface Challenge {
  id: string
  challenge: string
  expiresAt: number
}

/**
 * Nothing is stored per request: the challenge contains its expiry and a keyed hash over expiry, id and purpose. Only
 * ids of answered challenges are stored, until they expire.
 */
function makeChallenge({ codeSecret }: AuthContext, purpose: ChallengePurpose): Challenge {
  const id = randomUUID()
  const expiresAt = Date.now() + CHALLENGE_MS
  return { id, challenge: challengeText(codeSecret, { id, purpose, expiresAt }), expiresAt }
}

interface Shown {
  id: string
  purpose: ChallengePurpose
  /** The text that the authenticator signed. */
  challenge: string
}

/** Spends the challenge before the answer is checked, so that it works once. */
async function spendChallenge(
  { db, codeSecret }: AuthContext,
  { id: given, purpose, challenge }: Shown,
): Promise<void> {
  if (given === '') throw validationFailed('challenge_id is required')
  if (!isUuid(given)) throw validationFailed('challenge_id must be a valid UUID')
  const id = given.toLowerCase()
  const expiresAt = Number(/^\d{13}(?=\.)/.exec(challenge)?.[0] ?? Number.NaN)
  if (!isSameSecret(challenge, challengeText(codeSecret, { id, purpose, expiresAt }))) throw notFound()
  if (!isUnexpired(expiresAt, CHALLENGE_MS, Date.now()))
    throw authError(400, 'webauthn_challenge_expired', 'Challenge has expired')
  if (!(await markSpent(db, id, expiresAt))) throw notFound()
}

function challengeText(
  secret: string,
  { id, purpose, expiresAt }: { id: string; purpose: string; expiresAt: number },
): string {
  return `${expiresAt}.${keyedHash(secret, `webauthn:${purpose}`, `${id}:${expiresAt}`)}`
}

async function markSpent(db: Db, id: string, expiresAt: number): Promise<boolean> {
  const row = await db
    .insertInto('auth_spent_challenges')
    .values({ id, expires_at: new Date(expiresAt).toISOString() })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

function notFound(): Error {
  return authError(400, 'webauthn_challenge_not_found', 'Challenge not found or already used')
}

/** The key id in the path. */
export function readPasskeyId(request: FastifyRequest): string {
  const { passkeyId, id } = request.params as { passkeyId?: string; id: string }
  const wanted = passkeyId ?? id
  if (!isUuid(wanted)) throw passkeyNotFound()
  return wanted.toLowerCase()
}

/** People who remove their own key have shown their second factor. */
export async function removePasskey(context: AuthContext, who: Who, id: string): Promise<void> {
  const isOwn = who.sessionId !== undefined
  await changeAccount(context.db, who, {
    check: (account) => {
      if (isOwn) requireSecondFactor(account, 'passkeys')
    },
    write: async (account) => {
      await deletePasskey(account, id)
      await account.audit('auth.passkey_removed', { before: { passkey_id: id } })
      const by = isOwn ? 'self' : 'administrator'
      await sendNotice(context, account.trx, { user: account.user, kind: 'passkey-removed', by })
    },
  })
}

export type PasskeyRow = Selectable<AuthPasskeys>

/** Oldest first: those for sign-in, or all. */
export function findPasskeys(db: Db, userId: string, which: 'sign-in' | 'all'): Promise<PasskeyRow[]> {
  return db
    .selectFrom('auth_passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .$if(which === 'sign-in', (query) => query.where('factor_id', 'is', null))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

interface NewPasskey {
  factorId: string | null
  credential: WebAuthnCredential
}

export async function insertPasskey(
  { trx, user }: LockedAccount,
  { factorId, credential }: NewPasskey,
): Promise<PasskeyRow> {
  const at = new Date().toISOString()
  const row = await trx
    .insertInto('auth_passkeys')
    .values({
      id: randomUUID(),
      user_id: user.id,
      factor_id: factorId,
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      sign_count: credential.counter,
      transports: JSON.stringify(credential.transports ?? []),
      friendly_name: '',
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row === undefined)
    throw authError(422, 'webauthn_credential_exists', 'This credential is already registered')
  return row
}

/** A repeated counter, or a key removed meanwhile, fails. */
export async function recordUse({ trx }: LockedAccount, key: PasskeyRow, signCount: number): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('auth_passkeys')
    .set({ sign_count: signCount, last_used_at: new Date().toISOString() })
    .where('id', '=', key.id)
    .where('sign_count', '=', key.sign_count)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw verificationFailed()
}

/** Returns the key with its new name. */
export async function renamePasskey(
  { trx, user }: LockedAccount,
  id: string,
  friendly_name: string,
): Promise<PasskeyRow> {
  const key = await trx
    .updateTable('auth_passkeys')
    .set({ friendly_name, updated_at: new Date().toISOString() })
    .where('id', '=', id)
    .where('user_id', '=', user.id)
    .where('factor_id', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (key === undefined) throw passkeyNotFound()
  return key
}

/** Deletes a key for sign-in. */
async function deletePasskey({ trx, user }: LockedAccount, id: string): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('auth_passkeys')
    .where('id', '=', id)
    .where('user_id', '=', user.id)
    .where('factor_id', 'is', null)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw passkeyNotFound()
}

function passkeyNotFound(): Error {
  return validationFailed('Passkey not found', 404)
}

/** In the protocol's format. */
export function toPasskeyObject(key: PasskeyRow): Record<string, unknown> {
  return {
    id: key.id,
    ...(key.friendly_name === '' ? {} : { friendly_name: key.friendly_name }),
    created_at: key.created_at,
    ...(key.last_used_at === null ? {} : { last_used_at: key.last_used_at }),
  }
}

const MAX_TEXT = 8_192

const short = z.string().check(z.maxLength(MAX_TEXT))

/** The result of `navigator.credentials`, as the clients send it; the library checks the rest. */
export const credential = z.looseObject({
  id: short,
  rawId: short,
  type: z.literal('public-key'),
  clientExtensionResults: z._default(z.record(z.string(), z.unknown()), {}),
  response: z.looseObject({
    clientDataJSON: short,
    attestationObject: z.optional(z.string().check(z.maxLength(65_536))),
    authenticatorData: z.optional(short),
    signature: z.optional(short),
    userHandle: z.nullish(short),
    transports: z.nullish(z.array(z.string().check(z.maxLength(32))).check(z.maxLength(16))),
  }),
})

export type Credential = z.output<typeof credential>

const clientData = z.looseObject({ challenge: z.string(), origin: z.string() })

/** Challenge and origin according to the browser. */
function readClientData({ response }: Credential): { challenge: string; origin: string } {
  try {
    const text = Buffer.from(response.clientDataJSON, 'base64url').toString('utf8')
    const { challenge, origin } = z.parse(clientData, JSON.parse(text))
    return { challenge: Buffer.from(challenge, 'base64url').toString('utf8'), origin }
  } catch {
    throw verificationFailed()
  }
}

export function verificationFailed(cause?: unknown): Error {
  return new AppError(400, 'webauthn_verification_failed', 'Credential verification failed', { cause })
}

interface RelyingParty {
  /** The host that keys belong to: the dashboard's. */
  id: string
  name: string
}

/** Browsers bind no key to an IP address: on the local machine the host is `localhost`, whatever name is configured. */
function relyingParty({ config }: AuthContext): RelyingParty {
  const { hostname } = new URL(config.dashboardUrl)
  return { id: isLoopbackHost(hostname) ? 'localhost' : hostname, name: config.site.brandName }
}

/**
 * Origins where a key may be used: the dashboard's. On the local machine any port is accepted, because another program
 * often serves the page.
 */
function allowedOrigins(context: AuthContext, origin: string): string[] {
  const isLocal = relyingParty(context).id === 'localhost' && /^https?:\/\/localhost(:\d{1,5})?$/.test(origin)
  return isLocal ? [...context.origins, origin] : [...context.origins]
}
