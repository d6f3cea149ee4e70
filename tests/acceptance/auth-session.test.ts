import { AuthClient } from '@supabase/auth-js'
import { createClient } from '@supabase/supabase-js'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENGINES } from '../support/engines.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

describe.each(ENGINES)('sessions through the official client on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  beforeAll(async () => {
    site = await startTestApp({ engine, listen: true })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())

  const client = () =>
    new AuthClient({
      url: `${site.url}/auth/v1`,
      headers: { apikey: keys.anon },
      persistSession: false,
      autoRefreshToken: false,
    })

  test('signs in, is recognised, refreshes and signs out', async () => {
    const auth = client()
    const { data, error } = await auth.signInWithPassword(PRINCIPAL)
    expect(error).toBeNull()
    expect(data.session).toMatchObject({ token_type: 'bearer', expires_in: 3600 })
    expect(data.user).toMatchObject({
      email: PRINCIPAL.email,
      aud: 'authenticated',
      role: 'authenticated',
      app_metadata: { provider: 'email', providers: ['email'] },
      is_anonymous: false,
    })
    expect(data.user?.identities).toHaveLength(1)
    expect(data.user?.last_sign_in_at).toBeTypeOf('string')

    const read = await auth.getUser()
    expect(read.data.user?.id).toBe(data.user?.id)

    const refreshed = await auth.refreshSession()
    expect(refreshed.error).toBeNull()
    expect(refreshed.data.session?.refresh_token).not.toBe(data.session?.refresh_token)

    const token = refreshed.data.session?.access_token ?? ''
    expect((await auth.signOut()).error).toBeNull()
    const after = await auth.getUser(token)
    expect(after.error?.name).toBe('AuthSessionMissingError')
  })

  test("contains the protocol's claims, which the client verifies through the key set", async () => {
    const auth = client()
    const { data } = await auth.signInWithPassword(PRINCIPAL)
    const token = data.session?.access_token ?? ''
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', kid: expect.any(String), typ: 'JWT' })
    expect(decodeJwt(token)).toMatchObject({
      iss: `${site.url}/auth/v1`,
      sub: data.user?.id,
      aud: 'authenticated',
      email: PRINCIPAL.email,
      phone: '',
      role: 'authenticated',
      aal: 'aal1',
      amr: [{ method: 'password', timestamp: expect.any(Number) }],
      session_id: expect.any(String),
      is_anonymous: false,
    })
    const { data: verified, error } = await auth.getClaims(token)
    expect(error).toBeNull()
    expect(verified?.claims.sub).toBe(data.user?.id)
    expect(verified?.header.alg).toBe('ES256')
  })

  test('works through supabase-js, which sends the key as bearer while signed out', async () => {
    const supabase = createClient(site.url, keys.anon, {
      auth: { persistSession: false, autoRefreshToken: false },
    })
    const wrong = await supabase.auth.signInWithPassword({ ...PRINCIPAL, password: 'not-the-one' })
    expect(wrong.error).toMatchObject({
      status: 400,
      code: 'invalid_credentials',
      message: 'Invalid login credentials',
    })
    const right = await supabase.auth.signInWithPassword(PRINCIPAL)
    expect(right.error).toBeNull()
    expect((await supabase.auth.getUser()).data.user?.email).toBe(PRINCIPAL.email)
  })

  test('refuses an expired, foreign or missing token with the protocol’s errors', async () => {
    const auth = client()
    expect((await auth.getUser('not-a-token')).error).toMatchObject({ status: 403, code: 'bad_jwt' })
    expect((await auth.getUser(keys.anon)).error).toMatchObject({
      status: 403,
      code: 'bad_jwt',
      message: 'invalid claim: missing sub claim',
    })
  })

  test('a hundred clients that refresh one token at once all continue', async () => {
    const auth = client()
    const { data } = await auth.signInWithPassword(PRINCIPAL)
    const refresh_token = data.session?.refresh_token ?? ''
    const clients = Array.from({ length: 100 }, client)
    const answers = await Promise.all(clients.map((each) => each.refreshSession({ refresh_token })))
    expect(answers.filter(({ error }) => error !== null)).toEqual([])
    const again = await Promise.all(clients.slice(0, 10).map((each) => each.refreshSession()))
    expect(again.filter(({ error }) => error !== null)).toEqual([])
    expect((await auth.getUser()).error).toBeNull()
  })

  test('scopes: others ends the other sessions, global all of them', async () => {
    const [a, b, c] = [client(), client(), client()]
    for (const auth of [a, b, c]) await auth.signInWithPassword(PRINCIPAL)
    expect((await a.signOut({ scope: 'others' })).error).toBeNull()
    expect((await a.getUser()).error).toBeNull()
    expect((await b.getUser()).error?.name).toBe('AuthSessionMissingError')
    const d = client()
    await d.signInWithPassword(PRINCIPAL)
    expect((await a.signOut({ scope: 'global' })).error).toBeNull()
    expect((await d.getUser()).error?.name).toBe('AuthSessionMissingError')
  })
})
