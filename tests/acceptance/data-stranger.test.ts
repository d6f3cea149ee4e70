import { PostgrestClient } from '@supabase/postgrest-js'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENGINES } from '../support/engines.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

describe.each(ENGINES)('a stranger who signed up, on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  beforeAll(async () => {
    site = await startTestApp({ engine, listen: true, env: { AUTH_SIGNUP: 'open' } })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())

  test('has a session and can do nothing with it', async () => {
    const client = createClient(site.url, keys.anon, {
      auth: { persistSession: false, autoRefreshToken: false },
    })
    const { data, error } = await client.auth.signUp({
      email: 'estranho@exemplo.com.br',
      password: 'janela-verde-oceano-41',
    })
    expect(error).toBeNull()
    const headers = { apikey: keys.anon, authorization: `Bearer ${data.session?.access_token}` }
    const rest = new PostgrestClient(`${site.url}/rest/v1`, { headers })
    const attempts = [
      rest.from('tracking_pixels').select(),
      rest.from('tracking_pixels').insert({ name: 'x', type: 'custom' }),
      rest.from('admin_users').select(),
      rest.from('admin_users').insert({ email: 'a@b.co', password: 'trilho-pedra-nuvem-77', role: 'admin' }),
      rest.from('admin_users').update({ role: 'super_admin' }).not('id', 'is', null),
      rest.from('admin_users').delete().not('id', 'is', null),
    ]
    for (const attempt of attempts) {
      expect(await attempt).toMatchObject({ status: 403, error: { code: '42501' } })
    }
  })

  test('a token of another key, and a token cut short', async () => {
    for (const bearer of [
      'eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic2VydmljZV9yb2xlIn0.x',
      keys.service.slice(0, -3),
    ]) {
      const headers = { apikey: keys.anon, authorization: `Bearer ${bearer}` }
      const answer = await new PostgrestClient(`${site.url}/rest/v1`, { headers })
        .from('tracking_pixels')
        .select()
      expect(answer).toMatchObject({ status: 401, error: { code: 'PGRST301' } })
    }
  })
})
