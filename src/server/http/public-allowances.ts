import type { Allowance } from './hit-counter.ts'

export interface PublicAllowance {
  /** For one IPv4 address or one IPv6 /64. */
  perAddress: Allowance
  /** For one IPv6 /48, which may be one customer's or hold thousands of phones: wider, and over an hour. */
  perNetwork: Allowance
  /** For everybody together: what strangers can make us store in an hour, whatever addresses they have. */
  ceiling?: Allowance
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const perMinute = (max: number): Allowance => ({ max, windowMs: MINUTE_MS })
const perFiveMinutes = (max: number): Allowance => ({ max, windowMs: 5 * MINUTE_MS })
const perHour = (max: number): Allowance => ({ max, windowMs: HOUR_MS })

/** A single address can never use up what is there for its network, nor a single network what is there for everybody. */
export const PUBLIC_ALLOWANCES = {
  newsletter: { perAddress: perMinute(10), perNetwork: perHour(1_200), ceiling: perHour(6_000) },
  consent: { perAddress: perMinute(30), perNetwork: perHour(9_000), ceiling: perHour(40_000) },
  'tag-report': { perAddress: perMinute(60), perNetwork: perHour(18_000), ceiling: perHour(1_000_000) },
  'csp-report': { perAddress: perMinute(60), perNetwork: perHour(18_000), ceiling: perHour(100_000) },
  signup: { perAddress: perFiveMinutes(30), perNetwork: perHour(1_800), ceiling: perHour(10_000) },
  otp: { perAddress: perFiveMinutes(30), perNetwork: perHour(1_800) },
  recover: { perAddress: perFiveMinutes(30), perNetwork: perHour(1_800) },
  resend: { perAddress: perFiveMinutes(30), perNetwork: perHour(1_800) },
  verify: { perAddress: perFiveMinutes(30), perNetwork: perHour(1_800) },
  'refresh-unknown': { perAddress: perFiveMinutes(300), perNetwork: perHour(18_000) },
} as const satisfies Record<string, PublicAllowance>

export type PublicCall = keyof typeof PUBLIC_ALLOWANCES
