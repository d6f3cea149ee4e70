import { randomBytes, randomInt } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '#contract/accounts.ts'
import { HOUR_MS } from '#contract/durations.ts'
import { isUnexpired } from '#server/db/time.ts'
import { AppError } from '#server/http/errors.ts'
import { countGuess, forgetHits } from '#server/http/limits/counter.ts'
import { HASH_QUEUE, WRONG_PASSWORDS } from '#server/http/limits/limits.ts'
import { networkBlock } from '#server/http/sockets/addresses.ts'
import type { AccountState } from '../accounts/change-account.ts'
import type { AuthContext } from '../context.ts'
import { authError, rateLimited } from '../protocol.ts'
import { StrengthThread } from './strength-thread.ts'

/** Who requests a hash. Networks share the queue, and known browsers have their own places. */
export interface Seat {
  network: string
  isKnown: boolean
}

/** Administrators, the service key and commands. */
const TRUSTED: Seat = { network: 'trusted', isKnown: true }

export function seatOf(address: string, isKnown: boolean): Seat {
  return { network: networkBlock(address) ?? address, isKnown }
}

/** Eight random characters have twice as many; a common word with a year or "@123" has fewer. */
const MIN_GUESSES = 5e7

/** The estimate's time grows faster than the text, and a strong start gets no weaker. */
const JUDGED_LENGTH = 24

const thread = new StrengthThread()

/** Throws `weak_password` with the protocol's reasons, or `validation_failed` if it is too long. */
export async function checkPassword(
  password: string,
  personal: readonly string[],
  seat?: Seat,
): Promise<void> {
  if (password.length > PASSWORD_MAX_LENGTH)
    throw new AppError(
      400,
      'validation_failed',
      `Password cannot be longer than ${PASSWORD_MAX_LENGTH} characters`,
    )
  if (password.length < PASSWORD_MIN_LENGTH)
    throw weakPassword(`Password should be at least ${PASSWORD_MIN_LENGTH} characters.`, 'length')
  const { guesses, hasWord } = await thread.estimate(
    password.slice(0, JUDGED_LENGTH),
    personal.flatMap(splitWords),
    seat?.network ?? null,
  )
  if (guesses >= MIN_GUESSES) return
  throw weakPassword(
    'Password is known to be weak and easy to guess, please choose a different one.',
    hasWord ? 'pwned' : 'characters',
  )
}

function weakPassword(message: string, reason: 'length' | 'characters' | 'pwned'): AppError {
  return new AppError(422, 'weak_password', message, { details: { reasons: [reason] } })
}

function splitWords(text: string): string[] {
  return [text, ...text.split(/[^\p{L}\p{N}]+/u)].filter((word) => word.length >= 3)
}

/** Without letters and digits that are misread. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

const GROUPS = 5

const GROUP_LENGTH = 4

/** 99 bits, in groups that can be typed from a screen. */
export function generatePassword(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return Array.from({ length: GROUPS }, group).join('-')
}

/** How long a used recovery email replaces the password. */
const RECOVERY_MS = HOUR_MS

/**
 * The one rule for people who change their own sign-in, at every API: they send their current password. Exempt is a new
 * password in a session that a recovery email or an invitation opened in the last hour; without a password, any emailed
 * session.
 */
export function requireOwnPassword(
  account: AccountState,
  provedHash: string | null | undefined,
  { changesMore = false } = {},
): void {
  const { password_hash: stored } = account.user
  if (stored !== null && provedHash === stored) return
  if (!changesMore && isRecovering(account)) return
  throw stored === null
    ? authError(400, 'reauthentication_needed', 'Password update requires reauthentication')
    : authError(400, 'current_password_required', 'Current password required when setting new password.')
}

function isRecovering({ user, session }: AccountState, now = Date.now()): boolean {
  const methods = ['recovery', 'invite', ...(user.password_hash === null ? ['otp'] : [])]
  return (session?.amr ?? []).some(
    ({ method, timestamp }) =>
      methods.includes(method) && isUnexpired(timestamp * 1000 + RECOVERY_MS, RECOVERY_MS, now),
  )
}

/**
 * Verifies the password of an open session. Guesses are counted per person, separately from sign-ins: guessing in an
 * open tab does not lock the owner out.
 */
export async function proveOwnPassword(
  { db, passwords }: AuthContext,
  user: { id: string; password_hash: string | null },
  current: string,
  seat?: Seat,
): Promise<void> {
  const guesses = `factor:guess:own-password:${user.id}`
  const counted = await countGuess(db, guesses, WRONG_PASSWORDS.ownSession)
  if ('waitSeconds' in counted) throw rateLimited(counted.waitSeconds)
  const stored = current.length > PASSWORD_MAX_LENGTH ? null : user.password_hash
  if (!(await passwords.verify(stored, current.slice(0, PASSWORD_MAX_LENGTH), seat)))
    throw authError(400, 'current_password_invalid', 'Current password required when setting new password.')
  await forgetHits(db, guesses)
}

/**
 * Serves networks in turn. When it is full, the network with most waiting jobs loses its last one to a network with
 * fewer.
 */
class FairLine {
  readonly #max: number
  readonly #networks = new Map<string, Waiting[]>()
  #size = 0

  constructor(max: number) {
    this.#max = max
  }

  push(network: string, waiting: Waiting): void {
    const own = this.#networks.get(network) ?? []
    if (this.#size >= this.#max) {
      const longest = [...this.#networks.values()].reduce((a, b) => (b.length > a.length ? b : a), own)
      if (longest.length <= own.length + 1) {
        waiting.refuse()
        return
      }
      longest.pop()?.refuse()
      this.#size--
    }
    own.push(waiting)
    this.#networks.set(network, own)
    this.#size++
  }

  shift(): Waiting | undefined {
    const [first] = this.#networks
    if (first === undefined) return undefined
    const [network, own] = first
    const waiting = own.shift()
    // Moved to the end, so that the others have their turn.
    this.#networks.delete(network)
    if (own.length > 0) this.#networks.set(network, own)
    this.#size--
    return waiting
  }
}

/**
 * Hashes on the thread pool, a few at a time, so that neither the page nor its files wait while many sign in; with a
 * full queue the response is 429.
 */
export class PasswordHasher {
  #running = 0
  #isKnownsTurn = true
  readonly #known = new FairLine(HASH_QUEUE.waiting.known)
  readonly #unknown = new FairLine(HASH_QUEUE.waiting.unknown)
  readonly #cost: HashCost
  readonly #decoy: string

  constructor(cost: HashCost = HASH_COST) {
    this.#cost = cost
    this.#decoy = makeDecoy(cost)
  }

  hash(password: string, seat = TRUSTED): Promise<string> {
    return this.#queued(seat, () => hash(password, this.#cost))
  }

  /**
   * Takes the same time with and without a stored hash. An imported bcrypt hash takes its own time, until its owner has
   * signed in once.
   */
  verify(stored: string | null, password: string, seat = TRUSTED): Promise<boolean> {
    return this.#queued(seat, async () => {
      if (stored !== null && isBcrypt(stored)) return verifyBcrypt(password, stored)
      const matches = await verify(stored ?? this.#decoy, password)
      return matches && stored !== null
    })
  }

  /** Made elsewhere or by an earlier version: replaced at the next sign-in. */
  isForeign(stored: string): boolean {
    return !stored.startsWith(prefixOf(this.#cost))
  }

  async #queued<T>(seat: Seat, work: () => Promise<T>): Promise<T> {
    await this.#enter(seat)
    try {
      return await work()
    } finally {
      this.#running--
      this.#next()?.enter()
    }
  }

  #enter({ network, isKnown }: Seat): Promise<void> {
    if (this.#running < HASH_QUEUE.atOnce) {
      this.#running++
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        this.#running++
        resolve()
      }
      const line = isKnown ? this.#known : this.#unknown
      line.push(network, { enter, refuse: () => reject(rateLimited(HASH_QUEUE.retryAfterSeconds)) })
    })
  }

  /** From both queues in turn, so that neither waits for the other to be empty. */
  #next(): Waiting | undefined {
    const [first, second] = this.#isKnownsTurn ? [this.#known, this.#unknown] : [this.#unknown, this.#known]
    this.#isKnownsTurn = !this.#isKnownsTurn
    return first.shift() ?? second.shift()
  }
}

interface Waiting {
  enter: () => void
  refuse: () => void
}

/** Loaded on demand, because most servers never need it. It uses the thread pool. */
async function verifyBcrypt(password: string, stored: string): Promise<boolean> {
  const bcrypt = await import('@node-rs/bcrypt')
  return bcrypt.verify(password, stored)
}

/** OWASP's minimum for argon2id: 43 to 72 ms on small machines. */
export const HASH_COST: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Cost of one argon2id hash: KiB of memory, passes, threads. */
export interface HashCost {
  memoryCost: number
  timeCost: number
  parallelism: number
}

function prefixOf({ memoryCost, timeCost, parallelism }: HashCost): string {
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`
}

/** Checking it costs what a hash of ours costs, and no known password matches. Making it costs nothing. */
function makeDecoy(cost: HashCost): string {
  const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '')
  return `${prefixOf(cost)}${base64(16)}$${base64(32)}`
}

const ARGON2 = /^\$argon2(?:id|i|d)\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d)\$[\w+/]{11,86}\$[\w+/]{22,172}$/

/** Each step doubles the work; cost 12 takes several times as long as our own hash. */
const BCRYPT = /^\$2[aby]\$(?:0[4-9]|1[0-2])\$[./A-Za-z0-9]{53}$/

/** A foreign hash decides the cost of each check, so that is limited. */
export function isAcceptableHash(hash: string): boolean {
  if (BCRYPT.test(hash)) return true
  const [memory = 0, passes = 0, lanes = 0] = (ARGON2.exec(hash)?.slice(1) ?? []).map(Number)
  return memory >= 8 * lanes && memory <= 131_072 && passes >= 1 && passes <= 10 && lanes >= 1
}

function isBcrypt(hash: string): boolean {
  return BCRYPT.test(hash)
}
