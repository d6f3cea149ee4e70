import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { normalizeEmail } from '#contract/email.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { rateLimited } from '#server/auth/protocol/auth-error.ts'
import type { Db } from '#server/db/database.ts'
import { networkBlock } from '#server/http/address-block.ts'
import { SIGN_INS } from '#server/http/limits.ts'
import { countHit, readHits } from '#server/http/rate-limit.ts'

const MINUTE_MS = 60_000
/** One customer may hold a whole IPv6 /48, that is 65,536 of the blocks that count as one address. */
const MAX_PER_NETWORK = 150

export interface Guess {
  email: string
  address: string
  /** A browser that signed in to this account before: it has an allowance of its own. */
  device: string | null
}

interface Limit {
  key: string
  max: number
  windowMs: number
}

/**
 * Only wrong guesses count, and they count after the check, in one atomic step whose number decides the answer. Guesses
 * that run side by side can therefore never learn more than the limit allows, while a hundred people who type the right
 * password at once are all let in.
 */
export async function refuseWhenLocked(db: Db, guess: Guess): Promise<void> {
  for (const limit of limitsOf(guess)) {
    const { count, retryAfterSeconds } = await readHits(db, limit.key, limit.windowMs)
    if (count >= limit.max) throw rateLimited(retryAfterSeconds)
  }
}

/** Throws when this guess was one too many: its answer then says nothing about the password. */
export async function countWrongGuess(db: Db, guess: Guess): Promise<void> {
  const states = []
  for (const limit of limitsOf(guess))
    states.push({ limit, state: await countHit(db, limit.key, limit.windowMs) })
  const exceeded = states.find(({ limit, state }) => state.count > limit.max)
  if (exceeded !== undefined) throw rateLimited(exceeded.state.retryAfterSeconds)
}

/** Lifts the lock of an account, also for browsers that signed in to it before. */
export async function forgetWrongGuesses(db: Db, email: string): Promise<void> {
  const [account, devices] = [accountKey(email), `${deviceKey(email)}:`]
  await db
    .deleteFrom('rate_limits')
    .where((eb) =>
      eb.or([
        eb('key', '=', account),
        eb(sql<string>`substr(key, 1, ${sql.lit(devices.length)})`, '=', devices),
      ]),
    )
    .execute()
}

const hashOf = (email: string) => createHash('sha256').update(normalizeEmail(email)).digest('base64url')
const accountKey = (email: string) => `login:account:${hashOf(email)}`
const deviceKey = (email: string) => `login:device:${hashOf(email)}`

/** Before the password is looked at: a right one costs as much as a wrong one. */
export function limitSignIns({ limits }: AuthContext, { email, address, device }: Guess): void {
  const account = hashOf(email)
  const wait =
    device === null
      ? (limits.take(`sign-in:address:${account}:${address}`, SIGN_INS.own) ??
        limits.take(`sign-in:account:${account}`, SIGN_INS.account))
      : limits.take(`sign-in:known:${account}:${address}`, SIGN_INS.own)
  if (wait !== null) throw rateLimited(wait)
}

function limitsOf({ email, address, device }: Guess): Limit[] {
  if (device !== null) return [{ key: `${deviceKey(email)}:${device}`, max: 10, windowMs: 15 * MINUTE_MS }]
  const network = networkBlock(address)
  return [
    { key: accountKey(email), max: 10, windowMs: 15 * MINUTE_MS },
    { key: `login:address:${address}`, max: 30, windowMs: 5 * MINUTE_MS },
    ...(network === null
      ? []
      : [{ key: `login:network:${network}`, max: MAX_PER_NETWORK, windowMs: 5 * MINUTE_MS }]),
  ]
}
