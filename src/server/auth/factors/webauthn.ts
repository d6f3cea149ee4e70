import { randomUUID } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server'
import type { FastifyRequest } from 'fastify'
import type { Selectable } from 'kysely'
import * as z from 'zod/mini'
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

const CHALLENGE_MS = 300_000

/** What a challenge is good for: one made for something else is none. */
export type ChallengePurpose = 'sign-in' | `register:${string}:${string}` | `factor:${string}:${string}`

interface Challenge {
  id: string
  challenge: string
  expiresAt: number
}

/**
 * Nothing is stored for who asks: the challenge is its own expiry and a hash over that, its id and its purpose, which nobody
 * else can make. Only the ids of those that were met are kept, until they would have expired.
 */
function makeChallenge({ codeSecret }: AuthContext, purpose: ChallengePurpose): Challenge {
  const id = randomUUID()
  const expiresAt = Date.now() + CHALLENGE_MS
  return { id, challenge: challengeText(codeSecret, { id, purpose, expiresAt }), expiresAt }
}

interface Shown {
  id: string
  purpose: ChallengePurpose
  /** What the authenticator signed. */
  challenge: string
}

/** Takes the challenge before anything is judged by it, so that it is good for one try. */
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

/** The id of the key that the path names. */
export function readPasskeyId(request: FastifyRequest): string {
  const { passkeyId, id } = request.params as { passkeyId?: string; id: string }
  const wanted = passkeyId ?? id
  if (!isUuid(wanted)) throw passkeyNotFound()
  return wanted.toLowerCase()
}

/** People who remove their own have shown their second factor. */
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

/** Oldest first: those that sign in, or those of second factors as well. */
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

/** Of two that show one count at once, and where the key was removed meanwhile, the later finds it gone. */
export async function recordUse({ trx }: LockedAccount, key: PasskeyRow, signCount: number): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('auth_passkeys')
    .set({ sign_count: signCount, last_used_at: new Date().toISOString() })
    .where('id', '=', key.id)
    .where('sign_count', '=', key.sign_count)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw verificationFailed()
}

/** Gives the key with its new name. */
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

/** One that signs in. */
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

/** As the protocol lists it. */
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

/** What `navigator.credentials` gives, as the clients send it; the library judges the rest. */
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

/** What the browser says that it was asked, and where. */
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
  /** The host to which browsers tie a key: the dashboard's. */
  id: string
  name: string
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Browsers tie no key to an IP address: on this machine the host is `localhost`, by whatever name it was configured. */
function relyingParty({ config }: AuthContext): RelyingParty {
  const { hostname } = new URL(config.dashboardUrl)
  return { id: LOOPBACK.includes(hostname) ? 'localhost' : hostname, name: config.site.brandName }
}

/**
 * Where a key may have been shown: on the dashboard's own origins. A site that is tried out on one's own machine takes any
 * port of it, because the page that signs in is then often served by another program.
 */
function allowedOrigins(context: AuthContext, origin: string): string[] {
  const isLocal = relyingParty(context).id === 'localhost' && /^https?:\/\/localhost(:\d{1,5})?$/.test(origin)
  return isLocal ? [...context.origins, origin] : [...context.origins]
}
