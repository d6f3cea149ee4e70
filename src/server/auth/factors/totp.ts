import { Secret, TOTP } from 'otpauth'
import type { SecretPlace } from '#server/secrets/secrets.ts'

/** White modules around the symbol, as ISO/IEC 18004 requires. */
const QUIET_ZONE = 4

/**
 * The QR code as SVG. The client appends it unescaped to `data:image/svg+xml;utf-8,`, so it contains neither `#` nor
 * `%`: colours have names.
 */
export async function qrCodeSvg(content: string): Promise<string> {
  // Loaded on demand, because enrolments are rare.
  const { create } = await import('qrcode')
  const { size, data } = create(content, { errorCorrectionLevel: 'M' }).modules
  const side = size + 2 * QUIET_ZONE
  let path = ''
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      let run = 0
      while (column + run < size && data[row * size + column + run]) run++
      if (run > 0) path += `M${column + QUIET_ZONE} ${row + QUIET_ZONE}h${run}v1h-${run}z`
      column += run
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges"><rect width="${side}" height="${side}" fill="white"/><path d="${path}" fill="black"/></svg>`
}

export function factorSecretPlace(factorId: string): SecretPlace {
  return { table: 'auth_factors', column: 'secret', row: factorId }
}

const STEP_SECONDS = 30

/** One step of clock drift. */
const DRIFT_STEPS = 1

interface TotpEnrolment {
  secret: string
  uri: string
}

/** A new secret, and its address for authenticator apps (SHA-1, six digits, 30 s, which all of them support). */
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

/** The time step of the code, or null if the code is not valid now. */
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
