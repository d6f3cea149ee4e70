import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAuthContext } from '#server/auth/auth.ts'
import { TIER_ENGINES } from '../support/engines.ts'
import { QUICK_WORK } from '../support/quick-work.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { type Answer, AS_NAVIGATION, asDashboard, call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const COOKIE = '__Host-Http-portico'

describe.each(TIER_ENGINES)('the login cookie, on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  beforeAll(async () => {
    site = await startTestApp({ engine })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())

  const login = (headers = asDashboard(site), email = PRINCIPAL.email) =>
    call(site, {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: keys.anon,
      body: { ...PRINCIPAL, email },
      headers,
    })
  const open = (
    cookie: string | undefined,
    headers: Record<string, string> = AS_NAVIGATION,
    path = '/admin',
  ) =>
    call(site, {
      path,
      headers: { ...headers, ...(cookie === undefined ? {} : { cookie: `${COOKIE}=${cookie}` }) },
    })
  const boot = (page: Answer) =>
    JSON.parse(
      /<script type="application\/json" id="portico-boot">(.*?)<\/script>/.exec(page.text)?.[1] ?? 'null',
    )
  const whoAmI = (bearer: string) => call(site, { path: '/auth/v1/user', apikey: keys.anon, bearer })
  const logout = (bearer: string, cookie: string, scope = 'local') =>
    call(site, {
      method: 'POST',
      path: `/auth/v1/logout?scope=${scope}`,
      apikey: keys.anon,
      bearer,
      headers: { ...asDashboard(site), cookie: `${COOKIE}=${cookie}` },
    })

  test('a sign-in from the dashboard sets a cookie that only the browser can send', async () => {
    const answer = await login()
    const header = [answer.headers['set-cookie']].flat().find((line) => String(line).startsWith(COOKIE))
    expect(header).toMatch(/; Path=\/; Max-Age=604800; Secure; HttpOnly; SameSite=Lax$/)
  })

  test.each([
    ['a program without browser headers', {}],
    ['another site', { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }],
    ['a sibling origin', { 'sec-fetch-site': 'same-site' }],
    ['no origin', { 'sec-fetch-site': 'same-origin' }],
  ])('a sign-in from %s sets none', async (_who, headers) => {
    expect((await login(headers)).cookies).toEqual({})
  })

  test('a sign-in that the browser does not call same-origin sets none, whatever its origin header', async () => {
    expect((await login({ ...asDashboard(site), 'sec-fetch-site': 'same-site' })).cookies).toEqual({})
  })

  test('a navigation with the cookie gets its own session; each tab another', async () => {
    const cookie = (await login()).cookies[COOKIE]
    const [one, two] = [boot(await open(cookie)), boot(await open(cookie, AS_NAVIGATION, '/admin/usuarios'))]
    expect(one).toMatchObject({
      brandName: 'Pórtico',
      sharedOrigin: true,
      secureContext: true,
      canMail: false,
      session: { token_type: 'bearer', expires_in: 3600, user: { email: PRINCIPAL.email } },
    })
    expect(two.session.access_token).not.toBe(one.session.access_token)
    for (const { session } of [one, two]) expect((await whoAmI(session.access_token)).status).toBe(200)
    expect((await call(site, { path: '/auth/v1/settings', apikey: one.anonKey })).status).toBe(200)
  })

  test.each<[string, Record<string, string>]>([
    ['a fetch', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    ['a frame', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
    ['an object', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'object' }],
    ['a request without the headers', {}],
    ['mode alone', { 'sec-fetch-mode': 'navigate' }],
    ['destination alone', { 'sec-fetch-dest': 'document' }],
  ])('%s gets the login screen, with or without the cookie', async (_what, headers) => {
    const page = await open((await login()).cookies[COOKIE], headers)
    expect(page.status).toBe(200)
    expect(boot(page).session).toBeNull()
    expect(page.text).not.toContain('access_token')
  })

  test.each(['prefetch', 'prefetch;prerender'])('%s gets 503', async (purpose) => {
    const page = await open((await login()).cookies[COOKIE], { ...AS_NAVIGATION, 'sec-purpose': purpose })
    expect(page.status).toBe(503)
    expect(page.text).toBe('')
  })

  test('the page answers GET only, without validators, and is never cached', async () => {
    const cookie = (await login()).cookies[COOKIE]
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE'] as const) {
      const answer = await call(site, {
        method,
        path: '/admin',
        headers: { ...AS_NAVIGATION, cookie: `${COOKIE}=${cookie}` },
      })
      expect(answer.status).toBe(404)
      expect(answer.text).not.toContain('access_token')
    }
    const page = await open(cookie)
    expect(page.headers['cache-control']).toBe('no-store')
    expect(page.headers.etag).toBeUndefined()
    expect(page.headers['last-modified']).toBeUndefined()
  })

  test('the cookie is ignored by every API', async () => {
    const cookie = (await login()).cookies[COOKIE]
    const headers = { ...asDashboard(site), cookie: `${COOKIE}=${cookie}` }
    expect((await call(site, { path: '/auth/v1/user', apikey: keys.anon, headers })).status).toBe(401)
  })

  test('"Sair" ends the login with all its tabs and clears the cookie', async () => {
    const { body, cookies } = await login()
    const cookie = cookies[COOKIE] ?? ''
    const tab = boot(await open(cookie)).session
    const stranger = (await login()).body
    const answer = await logout(body.access_token, cookie)
    expect(answer.status).toBe(204)
    expect(answer.headers['set-cookie']).toContain('Max-Age=0')
    expect((await whoAmI(tab.access_token)).body.code).toBe('session_not_found')
    expect(boot(await open(cookie)).session).toBeNull()
    expect((await whoAmI(stranger.access_token)).status).toBe(200)
  })

  test('"Sair" ends the login of a tab whose browser no longer sends a cookie', async () => {
    const { body, cookies } = await login()
    expect((await logout(body.access_token, '')).status).toBe(204)
    expect(boot(await open(cookies[COOKIE])).session).toBeNull()
  })

  test('"Sair" works with an expired access token, or one whose session is gone', async () => {
    const { signer } = await (
      await createAuthContext(site.config, site.database.db, site.secrets, QUICK_WORK)
    ).keys.current()
    for (const session_id of [undefined, crypto.randomUUID()]) {
      const { body, cookies } = await login()
      const cookie = cookies[COOKIE] ?? ''
      const claims = JSON.parse(
        atob(body.access_token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')),
      )
      const expired = await new SignJWT({ ...claims, exp: 1_000_000, ...(session_id && { session_id }) })
        .setProtectedHeader({ alg: 'ES256', kid: signer.key.kid })
        .sign(signer.key.privateKey)
      expect((await whoAmI(expired)).body).toMatchObject({ code: 'bad_jwt' })
      expect((await logout(expired, cookie)).status).toBe(204)
      expect(boot(await open(cookie)).session).toBeNull()
    }
  })

  test('"others" keeps this browser with its tabs and ends the rest; "global" ends all', async () => {
    const here = await login()
    const cookie = here.cookies[COOKIE] ?? ''
    const tab = boot(await open(cookie)).session
    const elsewhere = await login()
    const program = await login({})
    expect((await logout(here.body.access_token, cookie, 'others')).status).toBe(204)
    expect((await whoAmI(tab.access_token)).status).toBe(200)
    for (const { body } of [elsewhere, program])
      expect((await whoAmI(body.access_token)).body.code).toBe('session_not_found')
    expect(boot(await open(elsewhere.cookies[COOKIE])).session).toBeNull()
    expect((await logout(tab.access_token, cookie, 'global')).status).toBe(204)
    expect((await whoAmI(here.body.access_token)).status).toBe(403)
    expect(boot(await open(cookie)).session).toBeNull()
  })

  test(`"Sair" does not end the login of another person's cookie`, async () => {
    const email = 'bia@exemplo.com.br'
    await call(site, {
      method: 'POST',
      path: '/auth/v1/admin/users',
      apikey: keys.service,
      bearer: keys.service,
      body: { email, password: PRINCIPAL.password, email_confirm: true },
    })
    const cookie = (await login(asDashboard(site), email)).cookies[COOKIE] ?? ''
    expect((await logout((await login()).body.access_token, cookie)).status).toBe(204)
    expect(boot(await open(cookie)).session.user.email).toBe(email)
  })

  test('a login ends after twelve idle hours or seven days', async () => {
    const { db } = site.database
    const long = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
    for (const change of [{ last_used_at: long(12) }, { expires_at: long(0) }]) {
      const cookie = (await login()).cookies[COOKIE]
      await db.updateTable('auth_logins').set(change).execute()
      const page = await open(cookie)
      expect(boot(page).session).toBeNull()
      expect(page.headers['set-cookie']).toContain('Max-Age=0')
      // The session is deleted: another clock does not bring it back.
      await db
        .updateTable('auth_logins')
        .set({ last_used_at: long(0), expires_at: long(-24) })
        .execute()
      expect(boot(await open(cookie)).session).toBeNull()
    }
  })

  test('refuses an access token once its login is seven days old', async () => {
    const { access_token } = (await login()).body
    await site.database.db.updateTable('auth_logins').set({ expires_at: new Date().toISOString() }).execute()
    expect((await whoAmI(access_token)).body).toMatchObject({ code: 'session_not_found' })
    const rows = await call(site, {
      path: '/rest/v1/tracking_pixels',
      apikey: keys.anon,
      bearer: access_token,
    })
    expect(rows.status).toBe(401)
  })

  test('refuses a banned person’s cookie until the ban ends', async () => {
    const cookie = (await login()).cookies[COOKIE]
    const ban = (banned_until: string | null) =>
      site.database.db.updateTable('auth_users').set({ banned_until }).execute()
    await ban('2999-01-01T00:00:00.000Z')
    const page = await open(cookie)
    await ban(null)
    expect(boot(page).session).toBeNull()
    expect(boot(await open(cookie)).session.user.email).toBe(PRINCIPAL.email)
  })

  test('refuses a forged cookie', async () => {
    for (const cookie of ['', 'x', `${'a'.repeat(43)}`, '%00', "' or 1=1 --"])
      expect(boot(await open(cookie)).session).toBeNull()
  })

  test('a forged cookie does not wait for a writer', async () => {
    await site.database.db.transaction().execute(async (trx) => {
      await trx.updateTable('auth_logins').set({ last_used_at: new Date().toISOString() }).execute()
      for (const cookie of ['x', 'a'.repeat(43)]) {
        const page = await open(cookie)
        expect(boot(page).session).toBeNull()
        expect(page.headers['set-cookie']).toContain('Max-Age=0')
      }
    })
  })
})
