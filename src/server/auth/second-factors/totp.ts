import { Secret, TOTP } from 'otpauth'

const STEP_SECONDS = 30
/** One step of a clock that runs ahead or behind. */
const DRIFT_STEPS = 1

export interface TotpEnrolment {
  secret: string
  uri: string
}

/** A new secret, and the address that authenticator apps read (SHA-1, six digits, 30 s: what all of them know). */
export function enrolTotp(issuer: string, account: string): TotpEnrolment {
  const totp = new TOTP({
    issuer,
    label: account,
    algorithm: 'SHA1',
    digits: 6,
    period: STEP_SECONDS,
    secret: new Secret({ size: 20 }),
  })
  return { secret: totp.secret.base32, uri: totp.toString() }
}

/** The time step that the code belongs to, or null when it is none of the ones that count now. */
export function matchTotp(secret: string, code: string, now = Date.now()): number | null {
  const digits = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(digits)) return null
  const delta = TOTP.validate({
    token: digits,
    secret: Secret.fromBase32(secret),
    timestamp: now,
    period: STEP_SECONDS,
    window: DRIFT_STEPS,
  })
  return delta === null ? null : Math.floor(now / 1000 / STEP_SECONDS) + delta
}
