import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sourceFiles } from '#tests/support/source-files.ts'

const AUTH = 'src/server/auth'

/**
 * Where rows of an account are written. All code there takes a `LockedAccount`, so that everything is decided in the
 * writing transaction; a write elsewhere would bypass the lock.
 */
const HOMES: Record<string, readonly string[]> = {
  auth_users: [`${AUTH}/accounts/change-account.ts`, `${AUTH}/accounts/users.ts`],
  admin_roles: [`${AUTH}/accounts/admin-users.ts`],
  auth_factors: [`${AUTH}/accounts/credentials.ts`, `${AUTH}/factors/second-factor.ts`],
  auth_recovery_codes: [`${AUTH}/accounts/credentials.ts`, `${AUTH}/factors/recovery-codes.ts`],
  auth_passkeys: [`${AUTH}/accounts/credentials.ts`, `${AUTH}/factors/webauthn.ts`],
  auth_sessions: [
    `${AUTH}/sessions/revoke.ts`,
    `${AUTH}/sessions/issue.ts`,
    `${AUTH}/sessions/refresh.ts`,
    `${AUTH}/factors/second-factor.ts`,
  ],
  auth_logins: [
    `${AUTH}/sessions/issue.ts`,
    `${AUTH}/sessions/revoke.ts`,
    `${AUTH}/sessions/refresh.ts`,
    `${AUTH}/factors/second-factor.ts`,
  ],
}

/** Where each question about an account is decided: a comparison elsewhere would be a second decision. */
const ANSWERS: Record<string, { asks: RegExp; home: readonly string[] }> = {
  'is banned or deleted': {
    asks: /banned_until\s*(?:!==|===|<|>)|deleted_at\s*(?:!==|===)|Date\.parse\(\w+\.banned_until/,
    home: [`${AUTH}/accounts/rules.ts`],
  },
  'is the principal': {
    asks: /(?:===|!==)\s*(?:\w+\.)*principal\.email/,
    home: [`${AUTH}/accounts/rules.ts`],
  },
  'has shown the second factor': {
    asks: /aal\b\s*(?:===|!==)/,
    home: [`${AUTH}/factors/second-factor.ts`],
  },
  'is an administrator': {
    asks: /\brole\s*(?:===|!==)\s*null/,
    home: ['src/server/http/security/administrators.ts'],
  },
  'brings a good token': {
    asks: /signer\.verify\(/,
    home: [`${AUTH}/caller.ts`],
  },
  'is limited, in the words of the protocol': {
    asks: /'over_request_rate_limit'/,
    home: [`${AUTH}/protocol.ts`],
  },
}

/** Comparisons about something else. */
const OTHER_QUESTIONS: Record<string, readonly string[]> = {
  'is banned or deleted': [
    // What the audit trail stores, and a second soft deletion.
    `${AUTH}/accounts/change-account.ts`,
    `${AUTH}/endpoints/admin-users.ts`,
  ],
  'has shown the second factor': [
    // The content of a device cookie.
    `${AUTH}/sessions/cookies.ts`,
  ],
  'is an administrator': [
    // Whether an account has a row in `admin_users`, the wording of a refusal, and which key was sent.
    `${AUTH}/caller.ts`,
    `${AUTH}/accounts/admin-users.ts`,
  ],
}

const sources = sourceFiles('src/server')
  .filter((file) => !file.includes('/migrations/'))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }))

/** The literal name, and the names in a loop over tables. */
function writes(text: string, table: string): boolean {
  const verb = String.raw`(?:updateTable|insertInto|deleteFrom)\(\s*`
  const isNamed = new RegExp(`${verb}'${table}'`).test(text)
  const isLooped = new RegExp(`of \\[[^\\]]*'${table}'[^]*${verb}table\\b`).test(text)
  return isNamed || isLooped
}

test.each(Object.entries(HOMES))('%s is written in its home files only', (table, homes) => {
  const writers = sources.filter(({ text }) => writes(text, table)).map(({ file }) => file)
  expect(writers.sort()).toEqual([...homes].sort())
})

test.each(Object.entries(ANSWERS))(
  'whether somebody %s is decided in one place',
  (question, { asks, home }) => {
    const asking = sources
      .filter(({ file }) => file.startsWith(AUTH) || file.startsWith('src/server/http'))
      .filter(({ text }) => asks.test(text))
      .map(({ file }) => file)
      .filter((file) => !(OTHER_QUESTIONS[question] ?? []).includes(file))
    expect(asking.sort()).toEqual([...home].sort())
  },
)

/** Decisions that every module shares, with their one file. */
const SHARED: Record<string, { uses: RegExp; home: readonly string[] }> = {
  'secrets are compared': { uses: /timingSafeEqual/, home: ['src/server/secrets/tokens.ts'] },
  'the address of the dashboard is chosen': {
    uses: /\badminUrl \?\? (?:config\.)?siteUrl/,
    home: ['src/server/config.ts'],
  },
  'the operator and the service key are named': {
    uses: /actor: '(?:command line|service key)'/,
    home: ['src/server/http/security/administrators.ts'],
  },
  'it is decided to which address a browser may be sent': {
    uses: /\bredirectTarget\(|'redirect_to'\)/,
    home: [`${AUTH}/one-time-tokens/redirects.ts`],
  },
  'an address is refused because somebody has it': {
    uses: /throw emailExists\(\)/,
    home: [
      `${AUTH}/accounts/users.ts`,
      // Their account has a role already, or has confirmed its address: another question.
      `${AUTH}/accounts/admin-users.ts`,
      `${AUTH}/endpoints/invite.ts`,
    ],
  },
  'a guess at a secret is counted': {
    uses: /\bcountHit\(/,
    home: [
      'src/server/http/limits/counter.ts',
      // Mails are counted, and codes on the row of their mail.
      `${AUTH}/account-mail.ts`,
      `${AUTH}/one-time-tokens/tokens.ts`,
    ],
  },
  'a transaction of `/admin/api` asks again who calls': {
    uses: /\.recheck\(/,
    home: ['src/server/data/row-writer.ts', 'src/server/http/security/administrators.ts'],
  },
  'a refusal says when to come again': {
    uses: /'retry-after': /,
    home: ['src/server/http/errors.ts'],
  },
  'it is said that a token is missing': {
    uses: /\bTOKEN_MISSING\b/,
    home: ['src/server/conversions/delivery-results.ts'],
  },
  'it is decided what vendors get of an address': {
    uses: /\bisPublicAddress\(address\) \? address : null/,
    home: ['src/server/conversions/post-event.ts'],
  },
  'JSON is made fit for a page': { uses: /u003c/, home: ['src/server/http/static/responses.ts'] },
  'a scope becomes an API of the dashboard': {
    uses: /\bguardApi\(/,
    home: [
      `${AUTH}/auth.ts`,
      'src/server/data/data-service.ts',
      'src/server/http/security/administrators.ts',
    ],
  },
}

test.each(Object.entries(SHARED))('%s in one place', (_what, { uses, home }) => {
  const users = sources.filter(({ text }) => uses.test(text)).map(({ file }) => file)
  expect(users.sort()).toEqual([...home].sort())
})

test.each([
  ["await trx\n    .updateTable('auth_users')", 'auth_users'],
  [
    "for (const table of ['auth_logins', 'auth_sessions'] as const) await trx.deleteFrom(table)",
    'auth_logins',
  ],
])('finds %j', (text, table) => {
  expect(writes(text, table)).toBe(true)
})
