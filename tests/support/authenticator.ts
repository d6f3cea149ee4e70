import { Secret, TOTP } from 'otpauth'

/** An authenticator app. Each code is of a later step than the one before, because the server takes each step once. */
export class Authenticator {
  readonly #secret: Secret
  #last = 0

  constructor(secret: string) {
    this.#secret = Secret.fromBase32(secret)
  }

  /** From one step behind to one ahead: three codes can be had without waiting. */
  next(): string {
    const now = Math.floor(Date.now() / 30_000)
    this.#last = Math.max(this.#last + 1, now - 1)
    if (this.#last > now + 1) throw new Error('no fresh code left within the drift that is forgiven')
    return this.at(this.#last)
  }

  at(step: number): string {
    return TOTP.generate({ secret: this.#secret, timestamp: step * 30_000, period: 30 })
  }
}
