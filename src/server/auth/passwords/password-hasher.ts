import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { networkBlock } from '#server/http/address-block.ts'
import { AppError } from '#server/http/app-error.ts'
import { HASH_QUEUE } from '#server/http/limits.ts'
import { HASH_COST, type HashCost, isBcrypt } from './stored-hash.ts'

/** Who asks for a hash. Networks share the queue, and browsers that signed in before have seats of their own. */
export interface Seat {
  network: string
  isKnown: boolean
}

/** Administrators, the service key and commands. */
export const TRUSTED: Seat = { network: 'trusted', isKnown: true }

export function seatOf(address: string, isKnown: boolean): Seat {
  return { network: networkBlock(address) ?? address, isKnown }
}

/**
 * Hashes on the thread pool, a few at a time, so that neither the landing page nor the files behind it wait while many
 * sign in; with the queue full the answer is 429.
 */
export class PasswordHasher {
  #running = 0
  #isKnownsTurn = true
  readonly #known = new FairLine(HASH_QUEUE.waiting.known)
  readonly #unknown = new FairLine(HASH_QUEUE.waiting.unknown)
  readonly #cost: HashCost
  readonly #decoy: Promise<string>

  constructor(cost: HashCost = HASH_COST) {
    this.#cost = cost
    this.#decoy = hash(randomBytes(16), cost)
  }

  hash(password: string, seat = TRUSTED): Promise<string> {
    return this.#queued(seat, () => hash(password, this.#cost))
  }

  /**
   * Takes the same time whether or not there is a hash to compare with. One that came with a move from Supabase (bcrypt)
   * takes its own time, until its owner has signed in once.
   */
  verify(stored: string | null, password: string, seat = TRUSTED): Promise<boolean> {
    return this.#queued(seat, async () => {
      if (stored !== null && isBcrypt(stored)) return verifyBcrypt(password, stored)
      const matches = await verify(stored ?? (await this.#decoy), password)
      return matches && stored !== null
    })
  }

  /** Made elsewhere, or by an earlier version: replaced when its password is at hand. */
  isForeign(stored: string): boolean {
    const { memoryCost, timeCost, parallelism } = this.#cost
    return !stored.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`)
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
      line.push(network, { enter, refuse: () => reject(tooBusy()) })
    })
  }

  /** Of both lines in turn, so that neither waits for the other to be empty. */
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

/** Serves networks in turn; when it is full, the network with the most waiting gives up its last place to one with fewer. */
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
    // To the end, so that the others have their turn.
    this.#networks.delete(network)
    if (own.length > 0) this.#networks.set(network, own)
    this.#size--
    return waiting
  }
}

function tooBusy(): AppError {
  return new AppError(429, 'over_request_rate_limit', 'Request rate limit reached', {
    headers: { 'retry-after': String(HASH_QUEUE.retryAfterSeconds) },
  })
}

/** Loaded with the first such hash, which most servers never see. Works on the thread pool, like the others. */
async function verifyBcrypt(password: string, stored: string): Promise<boolean> {
  const bcrypt = await import('@node-rs/bcrypt')
  return bcrypt.verify(password, stored)
}
