import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#contract/durations.ts'

/**
 * Every number that limits what callers can make this server do: calls, stored rows, sizes, connections, queues, times.
 * One row per limit, with its reason; the code that applies a limit refers to its row. Page sizes, field lengths and
 * lifetimes stay with their subject. `docs/operate/limits.md` shows all rows.
 */

/** `max` times within a window. */
export interface Limit {
  max: number
  windowMs: number
}

/** One row of the documents' table. */
interface LimitRow {
  group: string
  name: string
  limit: string
  reason: string
}

/** All rows of this file, in its order. */
export const LIMIT_ROWS: LimitRow[] = []

const perMinute = (max: number): Limit => ({ max, windowMs: MINUTE_MS })
const perFiveMinutes = (max: number): Limit => ({ max, windowMs: 5 * MINUTE_MS })
const perHour = (max: number): Limit => ({ max, windowMs: HOUR_MS })

/** For one caller. An address cannot use up the limit of its network. */
export interface CallerLimit {
  /** For one IPv4 address or one IPv6 /64. */
  perAddress: Limit
  /** For one IPv6 /48, which may belong to one customer or to thousands of phones: wider, and over an hour. */
  perNetwork: Limit
}

/** Limits for public calls. Counted in memory, shared once a second. */
export const PUBLIC_CALLS = table('calls of one address; of one network', describeCaller, {
  newsletter: [callers(perMinute(10), perHour(1_200)), 'a household subscribes once'],
  consent: [callers(perMinute(30), perHour(9_000)), 'people change their mind, and offices share an address'],
  seals: [callers(perMinute(120), perHour(36_000)), 'auditors read page after page'],
  receipt: [callers(perMinute(10), perHour(1_200)), 'a visitor downloads one'],
  'tag-report': [callers(perMinute(60), perHour(18_000)), 'one or two for each visit'],
  event: [callers(perMinute(60), perHour(18_000)), 'a few for each visit'],
  click: [callers(perMinute(30), perHour(9_000)), 'a few for each visit; each is only a number'],
  view: [callers(perMinute(60), perHour(18_000)), 'one for each page shown without a request'],
  'visit-code': [callers(perMinute(30), perHour(9_000)), 'one for each visit that goes on to the app'],
  unsubscribe: [callers(perMinute(30), perHour(9_000)), 'mail programs of many people share an address'],
  'csp-report': [callers(perMinute(60), perHour(18_000)), 'the browser sends one for each blocked request'],
  'tag-test': [callers(perMinute(60), perHour(18_000)), 'a page under test reports steps as they happen'],
  signup: [callers(perFiveMinutes(30), perHour(1_800)), 'a class signs up at once'],
  otp: [callers(perFiveMinutes(30), perHour(1_800)), 'each may send a mail'],
  recover: [callers(perFiveMinutes(30), perHour(1_800)), 'each may send a mail'],
  resend: [callers(perFiveMinutes(30), perHour(1_800)), 'each may send a mail'],
  verify: [callers(perFiveMinutes(30), perHour(1_800)), 'guesses at codes that were mailed'],
  passkey: [callers(perFiveMinutes(60), perHour(3_600)), 'a sign-in is two calls'],
  'code-unknown': [
    callers(perFiveMinutes(300), perHour(18_000)),
    "all visitors of an integrator may come from its one server: only codes that don't exist count",
  ],
  'outcome-unknown': [
    callers(perFiveMinutes(300), perHour(18_000)),
    'guesses at keys of outcomes; calls with a valid key are not counted here',
  ],
  'refresh-unknown': [
    callers(perFiveMinutes(300), perHour(18_000)),
    'the same: nobody is signed out by the limit',
  ],
})

export type PublicCall = keyof typeof PUBLIC_CALLS

/** How many reports of one place count where many must agree. They refuse nothing. */
export const SAMPLES = table('samples of one address; of one network', describeCaller, {
  breaker: [
    callers({ max: 3, windowMs: 10 * MINUTE_MS }, { max: 15, windowMs: 10 * MINUTE_MS }),
    'one place must not pause a tag',
  ],
  'breaker-cost': [
    callers(perHour(3), perHour(15)),
    'the same for measured visits, which are judged by the hour',
  ],
})

export type Sample = keyof typeof SAMPLES

/** What everybody together may store in an hour, and one address or /64 of it. */
export interface Ceiling extends Limit {
  perAddress: number
}

const ceiling = (max: number, perAddress: number): Ceiling => ({ ...perHour(max), perAddress })

/**
 * What strangers together may store in an hour, whatever their addresses. Far above the traffic of a site like this,
 * and above what one network may store.
 */
export const HOURLY_CEILINGS = table('rows stored in an hour by everybody; by one address', describeCeiling, {
  newsletter: [ceiling(6_000, 120), '10 MB of rows; `SUBSCRIPTIONS_PER_HOUR` sets another'],
  consent: [ceiling(40_000, 900), '24 MB of rows; `CHOICES_PER_HOUR` sets another'],
  'tag-report': [
    ceiling(1_000_000, 2_400),
    'counts: they add to rows that there are; `REPORTS_PER_HOUR` sets another',
  ],
  event: [
    ceiling(100_000, 2_400),
    'rows leave when their vendor has taken them; `EVENTS_PER_HOUR` sets another',
  ],
  'visit-code': [ceiling(20_000, 600), 'at most 40 MB of rows, and 10 MB of usual ones'],
  'csp-report': [ceiling(100_000, 1_200), 'most name hosts that are known'],
  'blocked-host': [ceiling(1_000, 100), 'names that no policy report has named before'],
  signup: [ceiling(4_000, 120), 'each with up to 32 KB of metadata'],
})

export type Storable = keyof typeof HOURLY_CEILINGS

/** The settings of ceilings. Their defaults are the rows above. */
export const CEILING_SETTINGS: Readonly<Partial<Record<Storable, string>>> = {
  newsletter: 'SUBSCRIPTIONS_PER_HOUR',
  consent: 'CHOICES_PER_HOUR',
  'tag-report': 'REPORTS_PER_HOUR',
  event: 'EVENTS_PER_HOUR',
}

/** A ceiling with the operator's number. */
export function ceilingOf(what: Storable, perHour: Readonly<Partial<Record<Storable, number>>>): Ceiling {
  const row = HOURLY_CEILINGS[what]
  return { ...row, max: perHour[what] ?? row.max }
}

/** The key under which all processes count what everybody stored. */
export function ceilingKey(what: Storable): string {
  return `${what}:everybody`
}

/**
 * The last part of every ceiling is reserved for networks (IPv4 /24, IPv6 /48) that stored almost nothing in this hour:
 * networks that use up the rest only block themselves.
 */
export const NEWCOMERS = numbers('last part of every ceiling', {
  share: [0.25, 'kept for networks that stored next to nothing in the hour'],
  perNetwork: [10, 'rows in the hour: next to nothing'],
})

/** A number of free guesses at a secret, then a wait after each wrong one. */
export interface GuessLimit {
  free: number
  waitsMs: readonly number[]
}

const GROWING_WAITS_MS = [1, 2, 5, 15, 30, 60].map((minutes) => minutes * MINUTE_MS)

/**
 * Somebody who knows a password may guess the code after it, while its owner must be able to sign in. Exact, in the
 * database.
 */
export const SECOND_STEP = {
  ...table('guesses at the second step', describeGuesses, {
    guesses: [
      { free: 10, waitsMs: GROWING_WAITS_MS },
      'of one browser that showed it before; of everybody else at one address',
    ],
    strangerGuesses: [
      { free: 30, waitsMs: GROWING_WAITS_MS },
      'of all other browsers of an account: addresses are cheap, and three codes of a million are right',
    ],
  }),
  ...table('challenges and answers of the second step', describeLimit, {
    calls: [perMinute(15), 'as the protocol limits them; counted like the guesses'],
    strangerCalls: [perMinute(60), 'of all other browsers of an account'],
  }),
}

/** Wrong passwords, exact and in the database, counted by account or browser, address and network. */
export const WRONG_PASSWORDS = table('wrong passwords', describeLimit, {
  account: [
    { max: 10, windowMs: 15 * MINUTE_MS },
    'of one account; browsers that signed in before count apart',
  ],
  address: [perFiveMinutes(30), 'one office, one address'],
  network: [perFiveMinutes(150), 'a customer may hold 65,536 of the blocks that count as one address'],
  ownSession: [{ max: 10, windowMs: 15 * MINUTE_MS }, 'the current password in an open session, by person'],
})

/** Wrong guesses at the six digits of one email. Its link stays valid, so that guessing cannot invalidate it. */
export const CODE_GUESSES = numbers('guesses at an emailed code', {
  wrong: [5, 'at the six digits of one mail; its link stays valid'],
}).wrong

/** Sign-ins to one account, right or wrong: each costs a hash. */
export const SIGN_INS = table('sign-ins to one account', describeLimit, {
  own: [perFiveMinutes(30), 'of browsers at one address that signed in before; of all others there'],
  account: [perFiveMinutes(120), 'of those others at all addresses together'],
})

/** What one login or person may do with an open session. */
export const SIGNED_IN = table('calls of a signed-in person', describeLimit, {
  writes: [perFiveMinutes(120), 'of one login: each leaves a row in the audit trail'],
  operation: [perFiveMinutes(30), 'of one person and operation, as the protocol limits them'],
})

/** Emails per hour to one account, by who requested them. The limits are independent. */
const ACCOUNT_MAILS = numbers('emails to one account in an hour', {
  anybody: [10, 'asked for by anybody who knows the address'],
  themselves: [10, 'asked for by the person, signed in, or an operator with the service key'],
  notice: [30, 'of ours, because something about the account changed'],
})

/** To unproved mailboxes: open sign-up must not be usable to send email to the world. */
const UNPROVED_MAILS = numbers('emails to unconfirmed mailboxes in an hour', {
  address: [30, 'asked for from one address'],
  network: [60, 'asked for from one network'],
  everybody: [300, 'asked for by everybody'],
  ofWhichForNewAskers: [100, 'kept for addresses that asked for none in this hour'],
})

export const MAILS_PER_HOUR = { account: ACCOUNT_MAILS, unproved: UNPROVED_MAILS }

/** One email of a kind to an address. */
export const SAME_MAIL: Limit = table('the same mail', describeLimit, {
  again: [perMinute(1), 'a second one within a minute helps nobody'],
}).again

/** Rows per account; beyond them the ones unused for longest end, those without the second factor first. */
export const KEPT_PER_ACCOUNT = numbers('kept per account', {
  logins: [50, 'browsers'],
  sessions: [200, 'tabs and programs'],
})

/** Outcomes of one key, accepted or not. */
export const OUTCOME_RATE: Limit = table('outcomes of one key', describeLimit, {
  outcomes: [perMinute(60_000), 'a thousand a second: a loop in the caller must not fill the disk'],
}).outcomes

export const OUTCOMES = numbers('outcomes', {
  perCall: [500, 'one statement stores them'],
  keys: [10, 'one for each system that reports'],
  names: [50, 'each is a row of the dashboard'],
  valueDigits: [12, "of a value in its currency's smallest unit: sums of millions stay exact"],
})

/** For every 429 and 503 without a more exact time. */
export const RETRY_AFTER_SECONDS = 5

/** Passwords being hashed: 20 MB and a core each. */
const HASHING = numbers('passwords being hashed', {
  atOnce: [2, '20 MB and a core each'],
  unknown: [64, 'waiting, of browsers that never signed in to the account'],
  known: [32, 'waiting, of browsers that did'],
})
export const HASH_QUEUE = {
  atOnce: HASHING.atOnce,
  waiting: { unknown: HASHING.unknown, known: HASHING.known },
  retryAfterSeconds: RETRY_AFTER_SECONDS,
}

/** New passwords that wait for the strength check, which runs one at a time. */
export const STRENGTH_QUEUE = numbers('new passwords waiting to be judged', {
  network: [16, 'of one network: several must flood to fill the queue'],
  strangers: [64, 'of everybody who is not an administrator'],
  all: [80, 'of all'],
})

export const COMPILER_QUEUE = numbers('snippets waiting to be compiled', {
  waiting: [64, 'each may take two seconds of the one thread'],
})

export const LONG_LISTS = numbers('lists longer than a page', {
  atOnce: [16, 'each holds at most 5 MB in memory for as long as its reader takes; one person has one'],
  waitMs: [5 * MINUTE_MS, 'then the caller gets 503'],
  stalledMs: [30 * SECOND_MS, 'a reader who takes nothing for this long has gone'],
})

export const CONNECTIONS = numbers('connections', {
  total: [
    4_096,
    'or fewer: half of the descriptors, at least 64, are for files, threads, the database and outgoing calls',
  ],
  perAddress: [256, 'or half of the total; none behind a proxy, whose address everybody shares'],
  requestsPerSocket: [1_000, 'then the connection is closed, with the answer that says so'],
  pipelined: [4, 'requests behind an unanswered one: browsers and proxies send none'],
  stalledMs: [30 * SECOND_MS, 'standing still in the middle of a request or its answer'],
})

export const REQUEST_TIMES = numbers('times of a request', {
  headersMs: [5 * SECOND_MS, 'until all headers are there, else 408'],
  bodyMs: [8 * SECOND_MS, 'until the whole request is there, else 408'],
  keepAliveMs: [65 * SECOND_MS, 'longer than the proxies in front keep theirs'],
  answerMs: [
    14 * SECOND_MS,
    'longer than a wait for a connection and one slow statement, shorter than proxies wait',
  ],
})

export const LOAD = numbers('load', {
  eventLoopDelayMs: [
    250,
    'mean of a second, twice in a row; past it calls get 503 and the page is still served',
  ],
})

/** In bytes, unless the name says otherwise. */
export const METADATA_BYTES = numbers('metadata of an account', {
  bytes: [16_384, 'each of `user_metadata` and `app_metadata`, as JSON'],
}).bytes

export const HEAD_BYTES = numbers('address and headers of a request', {
  bytes: [51_200, "else 431; as much as PostgREST's own server takes: a filter of a thousand ids has 40 KB"],
}).bytes

export const CHANGED_ROWS = numbers('one change in the data service', {
  rows: [1_000, "it holds SQLite's only writer, and rows of PostgreSQL, while visitors wait"],
}).rows

/** Largest request body; a larger one gets 413. */
export const BODY_BYTES = numbers('bytes of a request body', {
  default: [1_000_000, 'the data service takes pixels with 100 KB of code, several at once'],
  auth: [8_192, 'an address, a password, a token'],
  authMetadata: [65_536, 'the same with metadata, every letter of which may be written as six'],
  authKey: [131_072, 'an attestation may hold a chain of certificates'],
  newsletter: [4_096, 'an address has at most 254 characters; the rest is field names and percent-encoding'],
  consent: [1_000, 'a few categories'],
  event: [8_192, 'an address of a page with its campaign'],
  visit: [8_192, 'a click, a view or a visit code with its campaign'],
  outcomes: [524_288, 'up to 500 outcomes of a kilobyte'],
  unsubscribe: [1_000, 'the one field of RFC 8058'],
  tagReport: [64_000, 'up to 500 results'],
  cspReport: [16_000, 'browsers bundle reports'],
  tagTest: [32_000, 'up to 40 steps'],
})

function callers(perAddress: Limit, perNetwork: Limit): CallerLimit {
  return { perAddress, perNetwork }
}

type Rows<Name extends string, Value> = Readonly<Record<Name, readonly [value: Value, reason: string]>>

/** Returns the values of a group and collects its rows for the documents. */
function table<Name extends string, Value>(
  group: string,
  describe: (value: Value) => string,
  rows: Rows<Name, Value>,
): Readonly<Record<Name, Value>> {
  const entries = Object.entries(rows) as [Name, Rows<Name, Value>[Name]][]
  for (const [name, [value, reason]] of entries)
    LIMIT_ROWS.push({ group, name, limit: describe(value), reason })
  return Object.fromEntries(entries.map(([name, [value]]) => [name, value])) as Record<Name, Value>
}

function numbers<Name extends string>(
  group: string,
  rows: Rows<Name, number>,
): Readonly<Record<Name, number>> {
  const values = table(group, String, rows)
  for (const row of LIMIT_ROWS)
    if (row.group === group) row.limit = describeNumber(row.name, values[row.name as Name])
  return values
}

function describeNumber(name: string, value: number): string {
  return name.endsWith('Ms') ? describeTime(value) : value.toLocaleString('en')
}

function describeTime(ms: number): string {
  if (ms < SECOND_MS) return `${ms} ms`
  const [size, unit] =
    ms % HOUR_MS === 0
      ? [HOUR_MS, 'hour']
      : ms % MINUTE_MS === 0
        ? [MINUTE_MS, 'minute']
        : [SECOND_MS, 'second']
  return `${ms / size} ${unit}${ms === size ? '' : 's'}`
}

function describeLimit({ max, windowMs }: Limit): string {
  const time =
    windowMs === HOUR_MS ? 'an hour' : windowMs === MINUTE_MS ? 'a minute' : `in ${describeTime(windowMs)}`
  return `${max.toLocaleString('en')} ${time}`
}

function describeCaller({ perAddress, perNetwork }: CallerLimit): string {
  return `${describeLimit(perAddress)}; ${describeLimit(perNetwork)}`
}

function describeCeiling({ max, perAddress }: Ceiling): string {
  return `${max.toLocaleString('en')}; ${perAddress.toLocaleString('en')}`
}

function describeGuesses({ free, waitsMs }: GuessLimit): string {
  return `${free}, then one after each wait of ${waitsMs.map((ms) => ms / MINUTE_MS).join(', ')} minutes`
}
