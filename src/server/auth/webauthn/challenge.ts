import { randomUUID } from 'node:crypto'
import { isUuid } from '#contract/uuid.ts'
import type { Db } from '#server/db/database.ts'
import { isStillAhead } from '#server/db/stored-time.ts'
import type { AuthContext } from '../auth-context.ts'
import { isSameHash, keyedHash } from '../keys/keyed-hash.ts'
import { authError, validationFailed } from '../protocol/auth-error.ts'

const CHALLENGE_MS = 300_000

/** What a challenge is good for: one made for something else is none. */
export type ChallengePurpose = 'sign-in' | `register:${string}:${string}` | `factor:${string}:${string}`

export interface Challenge {
  id: string
  challenge: string
  expiresAt: number
}

/**
 * Nothing is stored for who asks: the challenge is its own expiry and a hash over that, its id and its purpose, which nobody
 * else can make. Only the ids of those that were met are kept, until they would have expired.
 */
export function makeChallenge({ codeSecret }: AuthContext, purpose: ChallengePurpose): Challenge {
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
export async function spendChallenge(
  { db, codeSecret }: AuthContext,
  { id: given, purpose, challenge }: Shown,
): Promise<void> {
  if (given === '') throw validationFailed('challenge_id is required')
  if (!isUuid(given)) throw validationFailed('challenge_id must be a valid UUID')
  const id = given.toLowerCase()
  const expiresAt = Number(/^\d{13}(?=\.)/.exec(challenge)?.[0] ?? Number.NaN)
  if (!isSameHash(challenge, challengeText(codeSecret, { id, purpose, expiresAt }))) throw notFound()
  if (!isStillAhead(expiresAt, CHALLENGE_MS, Date.now()))
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
