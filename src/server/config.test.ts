import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { formatTable, writeDocBlock } from '#tests/support/doc-table.ts'
import { ConfigError, parseConfig } from './config.ts'
import { EnvReader } from './env-reader.ts'

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    parseConfig(environment)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

test('works without any variable', () => {
  const config = parseConfig({})
  expect(config).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    siteUrl: 'http://localhost:3000',
    adminUrl: null,
    databaseUrl: null,
    site: { brandName: 'Pórtico', loginUrl: 'https://app.portico.example/login', legalName: null },
    auth: { signup: 'closed' },
    trustProxy: false,
    logLevel: 'info',
  })
  expect(Object.isFrozen(config.site)).toBe(true)
})

test('treats an empty value as absent', () => {
  expect(parseConfig({ PORT: '', DATABASE_URL: ' ' })).toMatchObject({ port: 3000, databaseUrl: null })
})

describe('reports each invalid value', () => {
  test.each([
    ['PORT', '70000'],
    ['PORT', '1e3'],
    ['SITE_URL', 'www.exemplo.com.br'],
    ['SITE_URL', 'https://exemplo.com.br/path'],
    ['ADMIN_URL', 'ftp://exemplo.com.br'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_POOL_SIZE', '0'],
    ['CONTACT_EMAIL', 'nobody'],
    ['WHATSAPP_NUMBER', '12'],
    ['APP_URL', 'app'],
    ['LINKEDIN_URL', 'http://linkedin.example'],
    ['COMPANY_CNPJ', '123'],
    ['DPO_EMAIL', '@'],
    ['NEWSLETTER_WEBHOOK_URL', 'hook'],
    ['PRINCIPAL_ADMIN_EMAIL', 'admin'],
    ['PRINCIPAL_ADMIN_PASSWORD', 'short'],
    ['AUTH_SIGNING_KEY_FILE', '/nonexistent/key.json'],
    ['AUTH_SIGNUP', 'maybe'],
    ['AUTH_REDIRECT_URLS', 'app.exemplo.com.br/auth'],
    ['AUTH_REDIRECT_URLS', '/auth/callback'],
    ['AUTH_REDIRECT_URLS', 'http://app.exemplo.com.br/auth'],
    ['AUTH_REDIRECT_URLS', 'javascript:alert(1)'],
    ['AUTH_REDIRECT_URLS', 'app://callback'],
    ['AUTH_REDIRECT_URLS', 'https://ana@app.exemplo.com.br/auth'],
    ['AUTH_REDIRECT_URLS', 'https://app.exemplo.com.br/auth#'],
    ['AUTH_REDIRECT_URLS', 'https://*.exemplo.com.br/auth'],
    ['AUTH_REDIRECT_URLS', 'https://app.exemplo.com.br/**'],
    ['AUTH_REDIRECT_URLS', 'https://app.exemplo.com.br./auth'],
    ['AUTH_REDIRECT_URLS', 'https://app.exemplo.com.br/auth, https://'],
    ['AUTH_REDIRECT_URLS', 'http://127.0.0.1:3000/auth'],
    ['AUTH_REDIRECT_URLS', 'http://[::1]:3000/auth'],
    ['SMTP_URL', 'http://mail'],
    ['MAIL_FROM', 'Somebody'],
    ['TRUST_PROXY', 'everyone'],
    ['TRUST_PROXY', '10.0.0.0/99'],
    ['LOG_LEVEL', 'loud'],
    ['META_GRAPH_VERSION', '26'],
    ['DESTINATION_APIS', 'linkedin'],
    ['DESTINATION_APIS', 'linkedin=latest'],
    ['DESTINATION_APIS', 'meta=http://127.0.0.1'],
    ['DESTINATION_APIS', 'meta=https://api.exemplo.com.br/v1'],
  ])('%s=%s', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} `))])
  })

  test('all together', () => {
    expect(faultsOf({ PORT: 'x', AUTH_SIGNUP: 'x', LOG_LEVEL: 'x' })).toHaveLength(3)
  })

  test.each(['PRINCIPAL_ADMIN_PASSWORD', 'DATABASE_URL', 'SMTP_URL'])('never echoes %s', (name) => {
    expect(faultsOf({ [name]: 'hunter2' }).join()).not.toContain('hunter2')
  })
})

test.each([
  ['true', true],
  ['2', 2],
  ['loopback, 10.0.0.0/8', ['loopback', '10.0.0.0/8']],
])('TRUST_PROXY=%s', (value, expected) => {
  expect(parseConfig({ TRUST_PROXY: value }).trustProxy).toEqual(expected)
})

test('ignores an ADMIN_URL that is the site itself', () => {
  expect(parseConfig({ SITE_URL: 'https://a.example', ADMIN_URL: 'https://a.example/' }).adminUrl).toBeNull()
})

test('.env.example lists every variable and is valid', () => {
  const example = readFileSync('.env.example', 'utf8')
  expect(parseConfig(parseEnv(example))).toEqual(parseConfig({}))
  const source = readFileSync('src/server/config.ts', 'utf8')
  for (const [, name] of source.matchAll(/'([A-Z][A-Z_]{3,})'/g)) expect(example).toContain(`${name}=`)
})

test.each([
  [{}, null],
  [{ SITE_URL: 'https://a.example' }, 'max-age=63072000'],
  [{ SITE_URL: 'https://a.example', HSTS_SECONDS: '0' }, 'max-age=0'],
  [{ SITE_URL: 'https://a.example', HSTS_SUBDOMAINS: 'true' }, 'max-age=63072000; includeSubDomains'],
  [{ HSTS_SECONDS: '600', HSTS_SUBDOMAINS: 'true' }, null],
])('%j sets Strict-Transport-Security %j', (env, hsts) => {
  expect(parseConfig(env).hsts).toBe(hsts)
})

test('replaces hosts and versions of destinations', () => {
  expect(parseConfig({}).outgoing.apis).toEqual({})
  expect(
    parseConfig({
      META_GRAPH_VERSION: 'v27.0',
      DESTINATION_APIS: 'linkedin=202612, google_analytics=https://region1.google-analytics.com',
    }).outgoing.apis,
  ).toEqual({
    meta: { version: 'v27.0' },
    linkedin: { version: '202612' },
    google_analytics: { url: 'https://region1.google-analytics.com' },
  })
})

describe('AUTH_REDIRECT_URLS', () => {
  const own = { SITE_URL: 'https://www.portico.example', ADMIN_URL: 'https://painel.portico.example' }
  const read = (urls: string) => parseConfig({ ...own, AUTH_REDIRECT_URLS: urls }).auth.redirectUrls

  test('are empty by default', () => {
    expect(parseConfig({}).auth.redirectUrls).toEqual([])
    expect(read(' , ')).toEqual([])
  })

  test('are whole addresses, in normal form', () => {
    expect(
      read('https://App.portico.example:443/auth/callback , https://app.portico.example/x?next=/y,'),
    ).toEqual(['https://app.portico.example/auth/callback', 'https://app.portico.example/x?next=/y'])
    expect(read('http://localhost:4000/auth')).toEqual(['http://localhost:4000/auth'])
  })

  test.each([
    'https://www.portico.example/auth',
    'https://WWW.Portico.Example/auth',
    'https://www.portico.example:8443/auth',
    'https://www.portico%2Eexample/auth',
    'https:\\\\www.portico.example\\auth',
    'https://www\u3002portico.example/auth',
    'https://www.portico.example./auth',
    'https://painel.portico.example/admin',
    'https://app.portico.example@www.portico.example/auth',
  ])('refuse %s, which is ours', (url) => {
    expect(faultsOf({ ...own, AUTH_REDIRECT_URLS: url })).toHaveLength(1)
  })

  test('are never echoed: one may contain a password', () => {
    expect(faultsOf({ AUTH_REDIRECT_URLS: 'https://ana:hunter2@app.exemplo.com.br' }).join()).not.toContain(
      'hunter2',
    )
  })
})

type Args = readonly unknown[]

/** Allowed values of a variable in the document's words, by the method that reads it. */
const VALUES: Record<string, (args: Args) => string> = {
  text: ([max]) => `text of at most ${max} characters`,
  integer: ([, min, max]) => `${min} to ${max}`,
  oneOf: ([choices]) => (choices as string[]).map((choice) => `\`${choice}\``).join(', '),
  flag: () => '`true`, `false`',
  secret: ([min]) => `at least ${min} characters`,
  duration: () => 'such as `15m`, `24h`, `7d`',
  pairs: () => '`name=value,name=value`',
  ageRecipient: () => '`age1…`',
  email: () => 'email address',
  digits: ([min, max]) => `${min} to ${max} digits`,
  cnpj: () => '`00.000.000/0000-00`',
  url: ([protocols]) => (protocols as string[]).map((protocol) => `\`${protocol}//\``).join(', '),
  postgresUrl: () => '`postgres://`',
  origin: () => 'origin without a path',
  password: () => 'password',
  existingFile: () => 'path of a file',
  trustProxy: () => '`true`, `false`, hops, addresses',
}

/** Defaults that are passed to the reader; the others are in the comment. */
const DEFAULTS: Record<string, (args: Args) => unknown> = {
  integer: ([fallback]) => fallback,
  oneOf: ([, fallback]) => fallback,
  flag: () => false,
}

/** Which method reads each variable, with its arguments: the outer one if one calls another. */
function readVariables(): Map<string, { method: string; args: Args }> {
  const read = new Map<string, { method: string; args: Args }>()
  const spies = Object.keys(VALUES).map((method) => {
    const original = Reflect.get(EnvReader.prototype, method) as (...args: unknown[]) => unknown
    return vi.spyOn(EnvReader.prototype, method as 'flag').mockImplementation(function (
      this: EnvReader,
      name: string,
      ...args: unknown[]
    ) {
      if (!read.has(name)) read.set(name, { method, args })
      return Reflect.apply(original, this, [name, ...args]) as boolean
    })
  })
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })
  parseConfig({})
  return read
}

test('docs/operate/configuration.md shows every variable', () => {
  const read = readVariables()
  const [, ...sections] = readFileSync('.env.example', 'utf8').split(/^# --- (.+) ---$/m)
  const shown: string[] = []
  const parts: string[] = []
  for (let at = 0; at < sections.length; at += 2) {
    const entries = (sections[at + 1] ?? '').matchAll(/((?:^#.*\n)+)^([A-Z_]+)=/gm)
    const rows = Array.from(entries, ([, comment = '', name = '']) => {
      shown.push(name)
      const { method = '', args = [] } = read.get(name) ?? {}
      const words = comment.replace(/^# /gm, '').replace(/\s+/g, ' ').trim()
      const [, meaning = words, written] = /^(.*?) ?Default: (.+)\.$/.exec(words) ?? []
      const fallback = DEFAULTS[method]?.(args) ?? written
      // A port of 0 means none.
      const initial = fallback === undefined || name === 'METRICS_PORT' ? (written ?? '') : fallback
      return [`\`${name}\``, VALUES[method]?.(args) ?? '', String(initial), meaning]
    })
    parts.push(
      `### ${sections[at]}\n`,
      formatTable([['variable', 'value', 'default', 'meaning'], ...rows]),
      '',
    )
  }
  expect(shown.sort()).toEqual([...read.keys()].sort())
  writeDocBlock('docs/operate/configuration.md', 'variables', parts.join('\n').trimEnd())
})
