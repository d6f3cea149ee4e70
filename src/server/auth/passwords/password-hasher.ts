import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { AppError } from '#server/http/app-error.ts'

/** OWASP's floor for argon2id: 43 to 72 ms on the small machines that this is made for. */
const HASH_OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

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

  /** Takes the same time whether or not there is a hash to compare with. */
  verify(stored: string | null, password: string): Promise<boolean> {
    return this.#queued(async () => {
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
