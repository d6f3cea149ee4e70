import type { Db } from '#server/db/database.ts'
import { countHit, forgetHits } from '#server/http/rate-limit.ts'
import { rateLimited } from '../protocol/auth-error.ts'

const MINUTE_MS = 60_000
const MAX_CALLS = 15
const MAX_GUESSES = 10

/** Challenges and answers of one person, as the protocol limits them. */
export async function limitFactorCalls(db: Db, userId: string): Promise<void> {
  const { count, retryAfterSeconds } = await countHit(db, `factor:calls:${userId}`, MINUTE_MS)
  if (count > MAX_CALLS) throw rateLimited(retryAfterSeconds)
}

/**
 * The protocol's limit alone would let who knows the password try 21,600 codes a day, of which three are right at any
 * time. Each guess counts before it is looked at, so that guesses side by side learn no more; a right one clears them.
 */
export async function countGuess(db: Db, what: string): Promise<void> {
  const { count, retryAfterSeconds } = await countHit(db, guessKey(what), 15 * MINUTE_MS)
  if (count > MAX_GUESSES) throw rateLimited(retryAfterSeconds)
}

export function forgetGuesses(db: Db, what: string): Promise<void> {
  return forgetHits(db, guessKey(what))
}

function guessKey(what: string): string {
  return `factor:guess:${what}`
}
