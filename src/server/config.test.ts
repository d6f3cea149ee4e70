import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ConfigError, parseConfig } from './config.ts'

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    parseConfig(environment)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

test('without any variable the product has a working configuration', () => {
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

test('an empty value is an absent one', () => {
  expect(parseConfig({ PORT: '', DATABASE_URL: ' ' })).toMatchObject({ port: 3000, databaseUrl: null })
})

describe('each bad value is reported', () => {
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
  ])('%s=%s', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} `))])
  })

  test('all together', () => {
    expect(faultsOf({ PORT: 'x', AUTH_SIGNUP: 'x', LOG_LEVEL: 'x' })).toHaveLength(3)
  })

  test.each(['PRINCIPAL_ADMIN_PASSWORD', 'DATABASE_URL', 'SMTP_URL'])('%s is never echoed', (name) => {
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

test('an ADMIN_URL that is the site itself is no second host', () => {
  expect(parseConfig({ SITE_URL: 'https://a.example', ADMIN_URL: 'https://a.example/' }).adminUrl).toBeNull()
})

test('.env.example names every variable, and works as it is', () => {
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
])('%j has the transport rule %j', (env, hsts) => {
  expect(parseConfig(env).hsts).toBe(hsts)
})

describe('AUTH_REDIRECT_URLS', () => {
  const own = { SITE_URL: 'https://www.portico.example', ADMIN_URL: 'https://painel.portico.example' }
  const read = (urls: string) => parseConfig({ ...own, AUTH_REDIRECT_URLS: urls }).auth.redirectUrls

  test('are none unless the operator lists them', () => {
    expect(parseConfig({}).auth.redirectUrls).toEqual([])
    expect(read(' , ')).toEqual([])
  })

  test('are whole addresses, in the form that is compared', () => {
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
  ])('never %s, which is ours', (url) => {
    expect(faultsOf({ ...own, AUTH_REDIRECT_URLS: url })).toHaveLength(1)
  })

  test('are never echoed: one may carry a password', () => {
    expect(faultsOf({ AUTH_REDIRECT_URLS: 'https://ana:hunter2@app.exemplo.com.br' }).join()).not.toContain(
      'hunter2',
    )
  })
})
