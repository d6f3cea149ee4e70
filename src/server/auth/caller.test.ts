import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthCall, call } from '#tests/acceptance/auth-http.ts'
import { ENGINES } from '#tests/support/engines.ts'
import { QUICK_WORK } from '#tests/support/quick-work.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { type Auth, createAuth } from './auth.ts'
import { insertApiKey, revokeApiKey } from './keys/api-keys.ts'

describe.each(ENGINES)('resolving the caller, on %s', (engine) => {
  let site: TestApp
  let auth: Auth
  let anon: string
  let service: string
  beforeAll(async () => {
    site = await startTestApp({ engine })
    auth = await createAuth(site.config, site.database.db, site.secrets, QUICK_WORK)
    anon = await auth.anonKey()
    service = await auth.context.keys.makeServiceKey({ id: crypto.randomUUID(), expiresAt: null })
  })
  afterAll(() => site.close())

  const login = async () => {
    const request: AuthCall = {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: anon,
      body: PRINCIPAL,
    }
    return (await call(site, request)).body
  }
  const identify = (apikey: string | undefined, bearer?: string) =>
    auth.callers.resolve({
      headers: { apikey, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
    } as unknown as Parameters<Auth['callers']['resolve']>[0])

  test('is a guest without a valid key, whatever the bearer token', async () => {
    const { access_token } = await login()
    for (const apikey of [undefined, '', 'x', access_token, `${anon.slice(0, -5)}AAAAA`])
      expect(await identify(apikey, service)).toEqual({ kind: 'guest' })
  })

  test('resolves keys by kind; a service key counts only as bearer token', async () => {
    expect(await identify(anon)).toEqual({ kind: 'anon' })
    expect(await identify(anon, anon)).toEqual({ kind: 'anon' })
    expect(await identify(service)).toEqual({ kind: 'anon' })
    expect(await identify(anon, service)).toEqual({ kind: 'service' })
  })

  test('refuses a revoked service key', async () => {
    const { db } = site.database
    const row = await insertApiKey(db, 'loja', null)
    const key = await auth.context.keys.makeServiceKey({ id: row?.id ?? '', expiresAt: null })
    expect(await identify(anon, key)).toEqual({ kind: 'service' })
    await revokeApiKey(db, 'loja')
    // As in a process that starts now; a running one notices within seconds.
    auth = await createAuth(site.config, db, site.secrets)
    await expect(identify(anon, key)).rejects.toMatchObject({ status: 401, code: 'bad_jwt' })
    expect(await identify(anon, service)).toEqual({ kind: 'service' })
  })

  test('resolves an open session with its role, until it ends or the person is banned', async () => {
    const { access_token, user } = await login()
    expect(await identify(anon, access_token)).toMatchObject({
      kind: 'user',
      userId: user.id,
      email: PRINCIPAL.email,
      role: 'super_admin',
      aal: 'aal1',
      needsSecondFactor: false,
    })
    const ban = (banned_until: string | null) =>
      site.database.db.updateTable('auth_users').set({ banned_until }).execute()
    await ban('2999-01-01T00:00:00.000Z')
    await expect(identify(anon, access_token)).rejects.toMatchObject({ status: 401, code: 'user_banned' })
    await ban(null)
    await site.database.db.deleteFrom('auth_sessions').execute()
    await expect(identify(anon, access_token)).rejects.toMatchObject({
      status: 401,
      code: 'session_not_found',
    })
  })

  test('requires the second factor of a person who has one', async () => {
    const { access_token, user } = await login()
    const at = new Date().toISOString()
    const factor = {
      id: crypto.randomUUID(),
      user_id: user.id,
      friendly_name: '',
      secret: 'x',
      created_at: at,
      updated_at: at,
    }
    await site.database.db
      .insertInto('auth_factors')
      .values({ ...factor, factor_type: 'totp', status: 'unverified' })
      .execute()
    expect(await identify(anon, access_token)).toMatchObject({ needsSecondFactor: false })
    await site.database.db.updateTable('auth_factors').set({ status: 'verified' }).execute()
    expect(await identify(anon, access_token)).toMatchObject({ aal: 'aal1', needsSecondFactor: true })
    await site.database.db.updateTable('auth_sessions').set({ aal: 'aal2' }).execute()
    expect(await identify(anon, access_token)).toMatchObject({ aal: 'aal2', needsSecondFactor: false })
    await site.database.db.deleteFrom('auth_factors').execute()
  })

  test('distinguishes foreign and expired tokens', async () => {
    const { signer } = await auth.context.keys.current()
    const expired = await signer.sign({
      sub: crypto.randomUUID(),
      session_id: crypto.randomUUID(),
      exp: 1_000_000,
    })
    await expect(identify(anon, expired)).rejects.toMatchObject({ status: 401, code: 'jwt_expired' })
    await expect(identify(anon, 'a.b.c')).rejects.toMatchObject({ status: 401, code: 'bad_jwt' })
    const none = `${btoa('{"alg":"none"}')}.${btoa('{"role":"service_role"}')}.`
    await expect(identify(anon, none)).rejects.toMatchObject({ code: 'bad_jwt' })
    expect(await identify(none, none)).toEqual({ kind: 'guest' })
  })
})
