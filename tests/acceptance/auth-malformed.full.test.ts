import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyCharacter } from '../support/any-character.ts'
import { ENGINES } from '../support/engines.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

/** Stacks, file names and SQL of either engine. */
const LEAKS =
  /node_modules|\.ts:\d|at \w+ \(|select |insert into|update "|sqlite|syntax error|constraint|relation "/i

describe.each(ENGINES)('malformed requests on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  let session: string
  beforeAll(async () => {
    site = await startTestApp({ engine, env: { AUTH_SIGNUP: 'open' } })
    keys = await readKeys(site)
    const login = await call(site, {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: keys.anon,
      body: PRINCIPAL,
    })
    session = login.body.access_token
  })
  afterAll(() => site.close())

  const nasty = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom(
      '\ud800',
      '\u0000',
      "' or 1=1 --",
      '%00',
      '../..',
      '__proto__',
      '𝒳@𝒳.𝒳',
      'a@b.co',
      '1e999',
    ),
  )
  const keysOfBodies = fc.constantFrom(
    'email',
    'phone',
    'password',
    'refresh_token',
    'data',
    'user_metadata',
    'app_metadata',
    'role',
    'id',
    'ban_duration',
    'email_confirm',
    'password_hash',
    'current_password',
    'nonce',
    'should_soft_delete',
    '__proto__',
  )
  const value = fc.oneof(nasty, fc.jsonValue(), fc.dictionary(nasty, nasty))
  const body = fc.oneof(
    { weight: 6, arbitrary: fc.dictionary(keysOfBodies, value).map((object) => JSON.stringify(object)) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: nasty },
  )
  const path = fc.oneof(
    fc.constantFrom(
      'token?grant_type=password',
      'token?grant_type=refresh_token',
      'token',
      'signup',
      'logout',
      'logout?scope=local',
      'user',
      'settings',
      'admin/users',
      `admin/users/${crypto.randomUUID()}`,
      'health',
      'sso',
      'verify',
    ),
    nasty.map((text) => `admin/users?page=${encodeURIComponent(text.toWellFormed())}`),
    nasty.map((text) => `admin/users/${encodeURIComponent(text.toWellFormed())}`),
    nasty.map((text) => encodeURIComponent(text.toWellFormed())),
  )
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS' as const),
    path,
    body: fc.option(body, { nil: undefined }),
    who: fc.constantFrom('anon', 'service', 'session', 'junk'),
    type: fc.constantFrom('application/json', 'application/json;charset=UTF-8', 'text/plain'),
  })

  test('a thousand of them cause no 500, stack or SQL', async () => {
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path: to, body: payload, who, type }) => {
        // The session is needed until the end.
        if (to.startsWith('logout') && who === 'session') return
        const bearer = { anon: keys.anon, service: keys.service, session, junk: 'a.b.c' }[who]
        const answer = await call(site, {
          method: method as 'GET',
          path: `/auth/v1/${to}`,
          apikey: keys.anon,
          bearer,
          ...(payload === undefined || method === 'GET'
            ? {}
            : { body: payload, headers: { 'content-type': type } }),
        })
        expect(answer.status).toBeLessThan(500)
        expect(answer.status === 200 ? '' : answer.text).not.toMatch(LEAKS)
      }),
      { numRuns: 1000 },
    )
    expect((await call(site, { path: '/auth/v1/user', apikey: keys.anon, bearer: session })).status).toBe(200)
  })

  test('returns metadata of any shape unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (data) => {
        // Earlier metadata would exceed the limit.
        await site.database.db.updateTable('auth_users').set({ user_metadata: '{}' }).execute()
        const answer = await call(site, {
          method: 'PUT',
          path: '/auth/v1/user',
          apikey: keys.anon,
          bearer: session,
          body: { data },
        })
        if (answer.status === 400) return expect(JSON.stringify(data)).toContain('\\u0000')
        expect(answer.status).toBe(200)
      }),
      { numRuns: 50 },
    )
  })
})
