import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { TIER_ENGINES } from '../support/engines.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const HEADER = 'sb-forwarded-for'
const CALLS_PER_ADDRESS = 30

describe.each(TIER_ENGINES)('a visitor’s address forwarded by an integrator’s server, on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  beforeAll(async () => {
    site = await startTestApp({ engine, listen: true })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())
  beforeEach(() => site.forgetLimits())

  interface Sent {
    apikey?: string
    bearer?: string
    forwarded: (n: number) => string
  }
  /** One more than an address may request. */
  const recover = async ({ apikey = keys.anon, bearer, forwarded }: Sent) => {
    const statuses: number[] = []
    for (let n = 0; n <= CALLS_PER_ADDRESS; n++) {
      const body = { email: `visitante${n}@exemplo.com.br` }
      const headers = { [HEADER]: forwarded(n) }
      const answer = await call(site, {
        method: 'POST',
        path: '/auth/v1/recover',
        apikey,
        bearer,
        body,
        headers,
      })
      statuses.push(answer.status)
    }
    return statuses
  }
  const one = (n: number) => `203.0.113.${n}`

  test('is used for limits of calls with a service key', async () => {
    expect(await recover({ apikey: keys.service, forwarded: one })).not.toContain(429)
    await site.forgetLimits()
    expect(await recover({ bearer: keys.service, forwarded: one })).not.toContain(429)
    await site.forgetLimits()
    const first = await recover({ apikey: keys.service, forwarded: (n) => `198.51.100.7, 10.0.0.${n}` })
    expect(first.at(-1)).toBe(429)
  })

  test('is ignored without a service key, and if it is no address', async () => {
    expect((await recover({ forwarded: one })).at(-1)).toBe(429)
    await site.forgetLimits()
    const { body } = await call(site, {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: keys.anon,
      body: PRINCIPAL,
    })
    expect((await recover({ bearer: body.access_token, forwarded: one })).at(-1)).toBe(429)
    await site.forgetLimits()
    expect((await recover({ apikey: keys.service, forwarded: (n) => `visitante-${n}` })).at(-1)).toBe(429)
  })

  test('is the network that a person sees for their session, with the official client', async () => {
    const client = createClient(site.url, keys.service, {
      auth: { persistSession: false, autoRefreshToken: false },
      global: { headers: { [HEADER]: '203.0.113.7' } },
    })
    const { data, error } = await client.auth.signInWithPassword(PRINCIPAL)
    expect(error).toBeNull()
    const { body } = await call(site, {
      path: '/admin/api/logins',
      apikey: keys.anon,
      bearer: data.session?.access_token,
    })
    expect(body.logins[0]).toMatchObject({ current: true, address: '203.0.113.0/24' })
  })
})
