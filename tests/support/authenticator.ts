import { setTimeout as wait } from 'node:timers/promises'
import { Secret, TOTP } from 'otpauth'

const STEP_MS = 30_000
/** How long a code may take to arrive on a busy machine. */
const ARRIVAL_MS = 12_000

function clock(): { step: number; remaining: number } {
  const now = Date.now()
  return { step: Math.floor(now / STEP_MS), remaining: STEP_MS - (now % STEP_MS) }
}

/**
 * An authenticator app. Each code is of a later step than the one before, because the server accepts each step once.
 */
export class Authenticator {
  readonly #secret: Secret
  #last = 0

  constructor(secret: string) {
    this.#secret = Secret.fromBase32(secret)
  }

  /**
   * From one step behind to one ahead, so that three codes are usually available at once. A code must be valid when it
   * arrives: the step behind is skipped when the current one is about to end, and a fourth code waits for its step.
   */
  async next(): Promise<string> {
    const { step, remaining } = clock()
    this.#last = Math.max(this.#last + 1, remaining < ARRIVAL_MS ? step : step - 1)
    while (this.#last > clock().step + 1) await wait(clock().remaining)
    return this.at(this.#last)
  }

  at(step: number): string {
    return TOTP.generate({ secret: this.#secret, timestamp: step * STEP_MS, period: STEP_MS / 1000 })
  }
}
