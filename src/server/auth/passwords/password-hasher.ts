import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { AppError } from '#server/http/app-error.ts'
import { HASH_OPTIONS, isBcrypt } from './stored-hash.ts'

const AT_ONCE = 2
const MAX_WAITING = 64
const RETRY_AFTER_SECONDS = 5

/**
 * Hashes on the thread pool, a few at a time, so that neither the landing page nor the files behind it wait while many
 * sign in; with the queue full the answer is 429.
 */
export class PasswordHasher {
  #running = 0
  readonly #waiting: (() => void)[] = []
  readonly #decoy = hash(randomBytes(16), HASH_OPTIONS)

  hash(password: string): Promise<string> {
    return this.#queued(() => hash(password, HASH_OPTIONS))
  }

  /**
   * Takes the same time whether or not there is a hash to compare with. One that came with a move from Supabase (bcrypt)
   * takes its own time, until its owner has signed in once.
   */
  verify(stored: string | null, password: string): Promise<boolean> {
    return this.#queued(async () => {
      if (stored !== null && isBcrypt(stored)) return verifyBcrypt(password, stored)
      const matches = await verify(stored ?? (await this.#decoy), password)
      return matches && stored !== null
    })
  }

  async #queued<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter()
    try {
      return await work()
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }

  #enter(): Promise<void> {
    if (this.#running < AT_ONCE) {
      this.#running++
      return Promise.resolve()
    }
    if (this.#waiting.length >= MAX_WAITING) throw tooBusy()
    return new Promise((resolve) => {
      this.#waiting.push(() => {
        this.#running++
        resolve()
      })
    })
  }
}

function tooBusy(): AppError {
  return new AppError(429, 'over_request_rate_limit', 'Request rate limit reached', {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  })
}

/** Loaded with the first such hash, which most servers never see. Works on the thread pool, like the others. */
async function verifyBcrypt(password: string, stored: string): Promise<boolean> {
  const bcrypt = await import('@node-rs/bcrypt')
  return bcrypt.verify(password, stored)
}
