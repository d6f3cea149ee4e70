/**
 * Every number that bounds what callers can make this server do: calls, stored rows, body sizes, queues. One row per
 * limit, with its reason; the code that applies a limit names its row.
 */
import type { Allowance } from './counter.ts'

export interface PublicAllowance {
  /** For one IPv4 address or one IPv6 /64. */
  perAddress: Allowance
  /** For one IPv6 /48, which may be one customer's or hold thousands of phones: wider, and over an hour. */
  perNetwork: Allowance
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const perMinute = (max: number): Allowance => ({ max, windowMs: MINUTE_MS })
const perFiveMinutes = (max: number): Allowance => ({ max, windowMs: 5 * MINUTE_MS })
const perHour = (max: number): Allowance => ({ max, windowMs: HOUR_MS })

/** How often one caller may call. A single address cannot use up what is there for its network. */
export const PUBLIC_ALLOWANCES = {
  newsletter: { perAddress: perMinute(10), perNetwork: perHour(1_200) },
  consent: { perAddress: perMinute(30), perNetwork: perHour(9_000) },
  /** Read by auditors, page after page. */
  seals: { perAddress: perMinute(120), perNetwork: perHour(36_000) },
  receipt: { perAddress: perMinute(10), perNetwork: perHour(1_200) },
  'tag-report': { perAddress: perMinute(60), perNetwork: perHour(18_000) },
  event: { perAddress: perMinute(60), perNetwork: perHour(18_000) },
  'csp-report': { perAddress: perMinute(60), perNetwork: perHour(18_000) },
  /** A page under test reports as things happen, and anybody may try a token. */
  'tag-test': { perAddress: perMinute(60), perNetwork: perHour(18_000) },
  signup: { perAddress: perFiveMinutes(30), perNetwork: perHour(1_800) },
  otp: { perAddress: perFiveMinutes(30), perNetwork: perHour(1_800) },
  recover: { perAddress: perFiveMinutes(30), perNetwork: perHour(1_800) },
  resend: { perAddress: perFiveMinutes(30), perNetwork: perHour(1_800) },
  verify: { perAddress: perFiveMinutes(30), perNetwork: perHour(1_800) },
  passkey: { perAddress: perFiveMinutes(60), perNetwork: perHour(3_600) },
  /** Every visitor of an integrator's site may come from its one server: only codes that do not exist count. */
  'code-unknown': { perAddress: perFiveMinutes(300), perNetwork: perHour(18_000) },
  'refresh-unknown': { perAddress: perFiveMinutes(300), perNetwork: perHour(18_000) },
} as const satisfies Record<string, PublicAllowance>

export type PublicCall = keyof typeof PUBLIC_ALLOWANCES

/** How much of what one place says is counted where many must agree. */
export const SAMPLES = {
  /** Visits that can lead to a tag being paused by itself. */
  breaker: {
    perAddress: { max: 3, windowMs: 10 * MINUTE_MS },
    perNetwork: { max: 15, windowMs: 10 * MINUTE_MS },
  },
  /** The same of visits that measured what a tag cost them: they are looked at over an hour. */
  'breaker-cost': { perAddress: perHour(3), perNetwork: perHour(15) },
} as const satisfies Record<string, PublicAllowance>

export type Sample = keyof typeof SAMPLES

/** What everybody together may store in an hour, and of that one address or /64. */
export interface Ceiling extends Allowance {
  perAddress: number
}

const ceiling = (max: number, perAddress: number): Ceiling => ({ ...perHour(max), perAddress })

/**
 * How much all strangers together can make us store in an hour, whatever addresses they have. Far above what a site like
 * this one sees, so that who reaches one is a flood; and above what one network may do, so that it takes several.
 */
export const HOURLY_CEILINGS = {
  newsletter: ceiling(6_000, 120),
  consent: ceiling(40_000, 900),
  /** Reports are counts: they add to rows that there are. */
  'tag-report': ceiling(1_000_000, 2_400),
  /** Rows that leave when their vendor has taken them; `EVENTS_PER_HOUR` sets another number. */
  event: ceiling(100_000, 2_400),
  'csp-report': ceiling(100_000, 1_200),
  /** Names that no policy report has named before. */
  'blocked-host': ceiling(1_000, 100),
  /** Each with up to 16 KB of metadata. */
  signup: ceiling(4_000, 120),
} as const satisfies Record<string, Ceiling>

/**
 * The last part of every ceiling is kept for networks (an IPv4 /24, an IPv6 /48) that stored next to nothing in this hour:
 * a few networks that use up the rest close the door for themselves.
 */
export const NEWCOMERS = { share: 0.25, perNetwork: 10 } as const

export type Storable = keyof typeof HOURLY_CEILINGS

/** How often a secret may be guessed at: so many times, and then with a wait after each wrong guess. */
export interface GuessLimit {
  free: number
  waitsMs: readonly number[]
}

const GROWING_WAITS_MS = [1, 2, 5, 15, 30, 60].map((minutes) => minutes * MINUTE_MS)

/** Who knows a password guesses at the code that comes after it; its owner must get in meanwhile. */
export const SECOND_STEP = {
  /** Of one browser that showed the second step before; of everybody else at one address. */
  guesses: { free: 10, waitsMs: GROWING_WAITS_MS },
  /** Of all other browsers of an account together: addresses are cheap, and three codes of a million are right. */
  strangerGuesses: { free: 30, waitsMs: GROWING_WAITS_MS },
  /** Challenges and answers, as the protocol limits them; counted like the guesses. */
  calls: perMinute(15),
  strangerCalls: perMinute(60),
} as const satisfies Record<string, Allowance | GuessLimit>

/** Guesses at the current password in an open session, by person. */
export const OWN_PASSWORD_GUESSES: Allowance = { max: 10, windowMs: 15 * MINUTE_MS }

/** Mails in an hour. */
export const MAILS_PER_HOUR = {
  /** To one account, by who asked for them: what one of these uses up, the others do not miss. */
  account: {
    /** Anybody who knows the address. */
    anybody: 10,
    /** The person, signed in, or an operator with the service key. */
    themselves: 10,
    /** We, because something about the account changed. */
    notice: 30,
  },
  /** To mailboxes that nobody has proved, by who asked: open sign-up is no way to send mail to the world. */
  unproved: { address: 30, network: 60, everybody: 300, ofWhichForNewAskers: 100 },
} as const

/** Passwords tried for one account, right or wrong: each costs a hash. */
export const SIGN_INS = {
  /** Of browsers at one address that signed in before; of all others there. */
  own: perFiveMinutes(30),
  /** Of those others at all addresses together. */
  account: perFiveMinutes(120),
} as const satisfies Record<string, Allowance>

/** What one login may change or begin with its session: each leaves a row in the audit trail. */
export const WRITES_PER_LOGIN: Allowance = perFiveMinutes(120)

/** Rows that one account keeps; beyond them the ones longest unused end, those without the second step first. */
export const KEPT_PER_ACCOUNT = {
  /** Browsers. */
  logins: 50,
  /** Tabs and programs. */
  sessions: 200,
} as const satisfies Record<string, number>

/** Passwords being hashed: 20 MB and a core each. */
export const HASH_QUEUE = {
  atOnce: 2,
  /** Of browsers that never signed in to the account, and of browsers that did. */
  waiting: { unknown: 64, known: 32 },
  retryAfterSeconds: 5,
} as const

/** New passwords whose strength waits to be judged, one after the other. */
export const STRENGTH_QUEUE = {
  /** Of one network: several must flood to fill the queue. */
  network: 16,
  /** Of everybody who is not an administrator; of all. */
  strangers: 64,
  all: 80,
} as const satisfies Record<string, number>

/** Each of `user_metadata` and `app_metadata`, as JSON. */
export const METADATA_BYTES = 16_384

/** Address and headers of a request; longer ones are answered 431. PostgREST's own server takes as much: a filter of a thousand ids has 40 KB. */
export const HEAD_BYTES = 51_200

/** Rows of one change in the data service: it holds SQLite's only writer, and rows of PostgreSQL, while visitors wait. */
export const CHANGED_ROWS = 1_000

/** Largest request body in bytes; a larger one is answered 413. */
export const BODY_BYTES = {
  /** Any route without a row of its own: the data service takes pixels with 100 KB of code, several at once. */
  default: 1_000_000,
  /** `/auth/v1`: an address, a password, a token. */
  auth: 8_192,
  /** The same with metadata, every letter of which may be written as six. */
  authMetadata: 65_536,
  /** The same with the answer of an authenticator, whose attestation may hold a chain of certificates. */
  authKey: 131_072,
} as const satisfies Record<string, number>
