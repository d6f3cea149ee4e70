import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TIER_ENGINES } from '../support/engines.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { AS_NAVIGATION, type AuthCall, asDashboard, call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const STRANGER = { email: 'estranha@exemplo.com.br', password: 'girassol-tamborim-91' }
const ADMIN = { email: 'marketing@exemplo.com.br', password: 'girassol-tamborim-92' }

describe.each(TIER_ENGINES)('access to the auth service, on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  let callers: Record<string, { apikey?: string; bearer?: string }>
  beforeAll(async () => {
    site = await startTestApp({ engine, env: { AUTH_SIGNUP: 'open' } })
    keys = await readKeys(site)
    const login = async (path: string, body: object) => {
      const answer = await call(site, { method: 'POST', path: `/auth/v1/${path}`, apikey: keys.anon, body })
      expect(answer.status).toBe(200)
      return { apikey: keys.anon, bearer: answer.body.access_token as string }
    }
    const stranger = await login('signup', STRANGER)
    const admin = await login('signup', ADMIN)
    const { id } = (await call(site, { path: '/auth/v1/user', ...admin })).body
    const at = new Date().toISOString()
    await site.database.db
      .insertInto('admin_roles')
      .values({ user_id: id, role: 'admin', created_at: at, updated_at: at })
      .execute()
    callers = {
      guest: {},
      'a forged key': { apikey: `${keys.anon.slice(0, -4)}AAAA`, bearer: keys.service },
      'a session as key': { apikey: admin.bearer, bearer: admin.bearer },
      anon: { apikey: keys.anon },
      'anon as bearer': { apikey: keys.anon, bearer: keys.anon },
      stranger,
      admin,
      principal: await login('token?grant_type=password', PRINCIPAL),
      service: { apikey: keys.service, bearer: keys.service },
      'service bearer, anon key': { apikey: keys.anon, bearer: keys.service },
    }
  })
  afterAll(() => site.close())

  const GUESTS = ['guest', 'a forged key', 'a session as key']
  const PEOPLE = ['stranger', 'admin', 'principal']
  const SERVICE = ['service', 'service bearer, anon key']
  const nobody = crypto.randomUUID()

  test.each<[string, AuthCall, Record<string, number>]>([
    ['settings', { path: '/auth/v1/settings' }, { guest: 401, anon: 200, person: 200, service: 200 }],
    ['health', { path: '/auth/v1/health' }, { guest: 200, anon: 200, person: 200, service: 200 }],
    [
      'the key set',
      { path: '/auth/v1/.well-known/jwks.json' },
      { guest: 200, anon: 200, person: 200, service: 200 },
    ],
    ['own user', { path: '/auth/v1/user' }, { guest: 401, anon: 401, person: 200, service: 403 }],
    [
      'the list of users',
      { path: '/auth/v1/admin/users' },
      { guest: 401, anon: 401, person: 403, service: 200 },
    ],
    [
      'one user',
      { path: `/auth/v1/admin/users/${nobody}` },
      { guest: 401, anon: 401, person: 403, service: 404 },
    ],
    [
      'creating a user',
      { method: 'POST', path: '/auth/v1/admin/users', body: {} },
      { guest: 401, anon: 401, person: 403, service: 400 },
    ],
    [
      'removing a user',
      { method: 'DELETE', path: `/auth/v1/admin/users/${nobody}` },
      { guest: 401, anon: 401, person: 403, service: 404 },
    ],
    ['an unknown path', { path: '/auth/v1/nothing' }, { guest: 401, anon: 404, person: 404, service: 404 }],
  ])('%s', async (_what, request, expected) => {
    const statuses: Record<string, number> = {}
    for (const [who, proof] of Object.entries(callers))
      statuses[who] = (await call(site, { ...request, ...proof })).status
    for (const who of GUESTS) expect([who, statuses[who]]).toEqual([who, expected.guest])
    for (const who of PEOPLE) expect([who, statuses[who]]).toEqual([who, expected.person])
    for (const who of SERVICE) expect([who, statuses[who]]).toEqual([who, expected.service])
    expect(statuses.anon).toBe(expected.anon)
  })

  test('no response contains a hash, a secret or a CORS header', async () => {
    const { text, headers } = await call(site, { path: '/auth/v1/admin/users', ...callers.service })
    expect(text).not.toMatch(/argon2|password_hash|"d":/)
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(headers['cache-control']).toBe('no-store')
    const jwks = await call(site, { path: '/auth/v1/.well-known/jwks.json' })
    expect(jwks.headers['cache-control']).toBe('public, max-age=600')
    expect(jwks.body.keys).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: expect.any(String),
        alg: 'ES256',
        use: 'sig',
        key_ops: ['verify'],
      },
    ])
  })

  test.each<[string, Record<string, string>, number]>([
    ['a navigation', { 'sec-fetch-mode': 'navigate' }, 403],
    ['a foreign origin', { origin: 'https://elsewhere.example' }, 403],
    ['an opaque origin', { origin: 'null' }, 403],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['plain text', { 'content-type': 'text/plain' }, 415],
    ['a multipart form', { 'content-type': 'multipart/form-data; boundary=x' }, 415],
    ['no type', { 'content-type': '' }, 415],
  ])('%s is refused', async (_what, headers, status) => {
    const body = JSON.stringify(PRINCIPAL)
    const answer = await call(site, {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: keys.anon,
      body,
      headers,
    })
    expect(answer.status).toBe(status)
    expect(answer.text).not.toContain('access_token')
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  test('accepts both names of the local machine as the dashboard’s origin', async () => {
    for (const host of ['localhost', '127.0.0.1']) {
      const origin = `http://${host}:${site.config.port}`
      const headers = { ...asDashboard(site), origin }
      expect((await call(site, { path: '/auth/v1/settings', apikey: keys.anon, headers })).status).toBe(200)
    }
  })

  test("errors have the format of the client's version", async () => {
    const request = {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: keys.anon,
      body: {},
    } as const
    const current = await call(site, request)
    expect(current.body).toEqual({ code: 'validation_failed', message: 'missing email or phone' })
    expect(current.headers['x-supabase-api-version']).toBe('2024-01-01')
    const old = await call(site, { ...request, headers: { 'x-supabase-api-version': '' } })
    expect(old.body).toEqual({ code: 400, error_code: 'validation_failed', msg: 'missing email or phone' })
    expect(old.headers['x-supabase-api-version']).toBeUndefined()
    for (const answer of [current, old]) expect(answer.headers['x-sb-error-code']).toBe('validation_failed')
  })

  test.each<[string, string, unknown, number, string]>([
    ['an unknown grant', 'token?grant_type=magic', {}, 400, 'invalid_credentials'],
    [
      'a phone login',
      'token?grant_type=password',
      { phone: '+5511999999999', password: 'x' },
      422,
      'phone_provider_disabled',
    ],
    ['a login by another provider', 'token?grant_type=id_token', {}, 400, 'provider_disabled'],
    ['a wallet login', 'token?grant_type=web3', {}, 422, 'web3_provider_disabled'],
    [
      'a code that was never handed out',
      'token?grant_type=pkce',
      { auth_code: 'x' },
      400,
      'validation_failed',
    ],
    ['no refresh token', 'token?grant_type=refresh_token', {}, 400, 'validation_failed'],
    [
      'a refresh token of the wrong shape',
      'token?grant_type=refresh_token',
      { refresh_token: 'a b' },
      400,
      'validation_failed',
    ],
    [
      'an unknown refresh token',
      'token?grant_type=refresh_token',
      { refresh_token: 'invalid-refresh-token' },
      400,
      'refresh_token_not_found',
    ],
    ['bad JSON', 'token?grant_type=password', '{"email":', 400, 'bad_json'],
    ['a list', 'token?grant_type=password', [], 400, 'bad_json'],
    ['a number for an address', 'token?grant_type=password', { email: 7 }, 400, 'bad_json'],
    ['a NUL', 'token?grant_type=password', '{"email":"a\\u0000@b.co","password":"x"}', 400, 'bad_json'],
    ['an anonymous sign-up', 'signup', { data: {} }, 422, 'anonymous_provider_disabled'],
    ['a phone sign-up', 'signup', { phone: '+5511999999999', password: 'x' }, 400, 'phone_provider_disabled'],
    ['a sign-up without password', 'signup', { email: 'a@b.co' }, 400, 'validation_failed'],
    ['a sign-up with a bad address', 'signup', { email: 'a', password: '123456' }, 400, 'validation_failed'],
    [
      'a sign-up with a stranger address',
      'signup',
      { email: 'xx:;x@x.x', password: '123456' },
      400,
      'validation_failed',
    ],
    ['a known address', 'signup', STRANGER, 422, 'user_already_exists'],
    ['single sign-on', 'sso', {}, 404, 'saml_provider_disabled'],
    ['a logout without token', 'logout?scope=local', {}, 401, 'no_authorization'],
    ['an unknown logout scope', 'logout?scope=x', {}, 400, 'validation_failed'],
  ])('%s gets the protocol’s response', async (_what, path, body, status, code) => {
    const answer = await call(site, { method: 'POST', path: `/auth/v1/${path}`, apikey: keys.anon, body })
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })
})

describe('disabled sign-in methods', () => {
  let site: TestApp
  beforeAll(async () => {
    site = await startTestApp()
  })
  afterAll(() => site.close())

  test.each<[string, AuthCall, number, string]>([
    ['anonymous sign-in', post('signup', {}), 422, 'anonymous_provider_disabled'],
    ['anonymous sign-in with data', post('signup', { data: { a: 1 } }), 422, 'anonymous_provider_disabled'],
    ['a provider’s page', { path: '/auth/v1/authorize?provider=google' }, 400, 'validation_failed'],
    [
      'a provider’s page, in a browser',
      { path: '/auth/v1/authorize?provider=github', headers: AS_NAVIGATION },
      400,
      'validation_failed',
    ],
    ['a provider’s token', post('token?grant_type=id_token', {}), 400, 'provider_disabled'],
    ['a wallet', post('token?grant_type=web3', {}), 422, 'web3_provider_disabled'],
    ['single sign-on', post('sso', {}), 404, 'saml_provider_disabled'],
  ])('%s is reported as disabled, with a key and without one', async (_what, request, status, code) => {
    const { anon } = await readKeys(site)
    for (const apikey of [anon, undefined]) {
      const answer = await call(site, { ...request, apikey })
      expect([answer.status, answer.body.code]).toEqual([status, code])
    }
  })

  test.each([
    ['signup', STRANGER],
    ['signup', { phone: '+5511999999999', password: 'x' }],
    ['token?grant_type=password', PRINCIPAL],
    ['token?grant_type=refresh_token', { refresh_token: 'invalid-refresh-token' }],
    ['token?grant_type=pkce', { auth_code: 'x', code_verifier: 'y' }],
    ['token?grant_type=id_token&grant_type=password', PRINCIPAL],
    ['token', PRINCIPAL],
  ])('%s still requires the key', async (path, body) => {
    for (const apikey of [undefined, 'x.y.z']) {
      const answer = await call(site, { ...post(path, body), apikey })
      expect([answer.status, answer.body.code]).toEqual([401, 'no_authorization'])
    }
  })
})

function post(path: string, body: unknown): AuthCall {
  return { method: 'POST', path: `/auth/v1/${path}`, body }
}

test('sign-up is closed unless the operator opens it', async () => {
  const site = await startTestApp()
  const { anon } = await readKeys(site)
  const answer = await call(site, { method: 'POST', path: '/auth/v1/signup', apikey: anon, body: STRANGER })
  expect(answer.status).toBe(422)
  expect(answer.body).toEqual({ code: 'signup_disabled', message: 'Signups not allowed for this instance' })
  const settings = await call(site, { path: '/auth/v1/settings', apikey: anon })
  expect(settings.body).toMatchObject({
    disable_signup: true,
    external: { email: true, phone: false, anonymous_users: false },
  })
  await site.close()
})
