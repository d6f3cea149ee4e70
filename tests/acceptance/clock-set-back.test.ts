import { AuthClient } from '@supabase/auth-js'
import { Secret, TOTP } from 'otpauth'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { DAY_MS } from '#contract/durations.ts'
import { TIER_ENGINES } from '../support/engines.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { AS_NAVIGATION, asDashboard, call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

/** What is done while the clock is a day ahead, and what remains once it is right. */
describe.each(TIER_ENGINES)('a clock that was a day ahead, on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  beforeAll(async () => {
    site = await startTestApp({ engine, listen: true })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())
  afterEach(async () => {
    vi.useRealTimers()
    await site.forgetLimits()
  })

  /** Only the date: the server's timers continue. */
  async function tomorrow<T>(work: () => Promise<T>): Promise<T> {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS })
    try {
      return await work()
    } finally {
      vi.useRealTimers()
    }
  }
  const signIn = (password: string, headers = {}) =>
    call(site, {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: keys.anon,
      body: { email: PRINCIPAL.email, password },
      headers,
    })
  const client = () =>
    new AuthClient({
      url: `${site.url}/auth/v1`,
      headers: { apikey: keys.anon },
      persistSession: false,
      autoRefreshToken: false,
    })

  test('locks nobody out of an account', async () => {
    await tomorrow(async () => {
      for (let n = 0; n < 11; n++) await signIn('wrong')
      expect((await signIn(PRINCIPAL.password)).status).toBe(429)
    })
    expect((await signIn(PRINCIPAL.password)).status).toBe(200)
  })

  test('keeps no public call refused', async () => {
    const subscribe = () =>
      call(site, { method: 'POST', path: '/api/newsletter', body: { email: 'ana@exemplo.com.br' } })
    await tomorrow(async () => {
      for (let n = 0; n < 10; n++) await subscribe()
      expect((await subscribe()).status).toBe(429)
    })
    expect((await subscribe()).status).toBe(200)
  })

  test('extends no login, token or session', async () => {
    const { cookies, body } = await tomorrow(() => signIn(PRINCIPAL.password, asDashboard(site)))
    const cookie = `__Host-Http-portico=${cookies['__Host-Http-portico']}`
    const page = await call(site, { path: '/admin', headers: { ...AS_NAVIGATION, cookie } })
    expect(page.text).not.toContain('access_token')
    const user = await call(site, { path: '/auth/v1/user', apikey: keys.anon, bearer: body.access_token })
    expect(user.status).toBe(403)
    const rows = await call(site, {
      path: '/rest/v1/tracking_pixels',
      apikey: keys.anon,
      bearer: body.access_token,
    })
    expect(rows.status).toBe(401)
  })

  test('makes no used refresh token valid again', async () => {
    const { body } = await signIn(PRINCIPAL.password)
    const refresh = (token: string) =>
      call(site, {
        method: 'POST',
        path: '/auth/v1/token?grant_type=refresh_token',
        apikey: keys.anon,
        body: { refresh_token: token },
      })
    const next = await refresh(body.refresh_token)
    expect((await tomorrow(() => refresh(next.body.refresh_token))).status).toBe(200)
    expect(await refresh(body.refresh_token)).toMatchObject({ body: { code: 'refresh_token_already_used' } })
  })

  test('extends no emailed token beyond its hour', async () => {
    const link = await tomorrow(async () =>
      call(site, {
        method: 'POST',
        path: '/auth/v1/admin/generate_link',
        apikey: keys.service,
        bearer: keys.service,
        body: { type: 'recovery', email: PRINCIPAL.email },
      }),
    )
    const { error } = await client().verifyOtp({ type: 'recovery', token_hash: link.body.hashed_token })
    expect(error?.code).toBe('otp_expired')
  })

  test('keeps codes of a second factor valid, and its old challenges not', async () => {
    const auth = client()
    await auth.signInWithPassword(PRINCIPAL)
    const { data: factor } = await auth.mfa.enroll({ factorType: 'totp' })
    const secret = Secret.fromBase32(factor?.type === 'totp' ? factor.totp.secret : '')
    const code = () => new TOTP({ secret }).generate({ timestamp: Date.now() })
    const factorId = factor?.id ?? ''
    const old = await tomorrow(async () => {
      const other = client()
      await other.signInWithPassword(PRINCIPAL)
      const first = await other.mfa.challengeAndVerify({ factorId, code: code() })
      expect(first.error).toBeNull()
      return (await other.mfa.challenge({ factorId })).data
    })
    const stale = await auth.mfa.verify({ factorId, challengeId: old?.id ?? '', code: code() })
    expect(stale.error).not.toBeNull()
    const again = client()
    await again.signInWithPassword(PRINCIPAL)
    expect((await again.mfa.challengeAndVerify({ factorId, code: code() })).error).toBeNull()
    await site.database.db.deleteFrom('auth_factors').execute()
  })
})
