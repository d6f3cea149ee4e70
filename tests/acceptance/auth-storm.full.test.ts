import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENGINES } from '../support/engines.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { type Answer, AS_NAVIGATION, asDashboard, call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const PASSWORD = 'girassol-tamborim-91'

describe.each(ENGINES)('concurrent operations on one person, on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  beforeAll(async () => {
    site = await startTestApp({ engine })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())

  test('tabs, refreshes, logouts, edits and a removal cause no 5xx, and leave nothing behind', async () => {
    const asService = { apikey: keys.service, bearer: keys.service }
    const person = { email: 'todos@exemplo.com.br', password: PASSWORD }
    const created = await call(site, {
      method: 'POST',
      path: '/auth/v1/admin/users',
      ...asService,
      body: { ...person, email_confirm: true },
    })
    const path = `/auth/v1/admin/users/${created.body.id}`
    const login = () =>
      call(site, {
        method: 'POST',
        path: '/auth/v1/token?grant_type=password',
        apikey: keys.anon,
        body: person,
        headers: asDashboard(site),
      })
    const logins = await Promise.all(Array.from({ length: 6 }, login))
    const work = logins.flatMap(({ body, cookies }, n) => {
      const cookie = `__Host-Http-portico=${cookies['__Host-Http-portico']}`
      const refresh = () =>
        call(site, {
          method: 'POST',
          path: '/auth/v1/token?grant_type=refresh_token',
          apikey: keys.anon,
          body: { refresh_token: body.refresh_token },
        })
      const open = () => call(site, { path: '/admin', headers: { ...AS_NAVIGATION, cookie } })
      const logout = () =>
        call(site, {
          method: 'POST',
          path: `/auth/v1/logout?scope=${['local', 'others', 'global'][n % 3]}`,
          apikey: keys.anon,
          bearer: body.access_token,
        })
      const rename = () =>
        call(site, {
          method: 'PUT',
          path: '/auth/v1/user',
          apikey: keys.anon,
          bearer: body.access_token,
          body: { data: { n } },
        })
      return [refresh, open, refresh, rename, open, logout, refresh, open]
    })
    const edits = [
      () => call(site, { method: 'PUT', path, ...asService, body: { user_metadata: { edited: true } } }),
      () => call(site, { method: 'PUT', path, ...asService, body: { email: 'mudou@exemplo.com.br' } }),
    ]
    const answers: Answer[] = await Promise.all(
      [...work.slice(0, 24), ...edits, ...work.slice(24)].map((run) => run()),
    )
    const removal = await Promise.all([
      ...work.map((run) => run()),
      call(site, { method: 'DELETE', path, ...asService }),
      ...work.map((run) => run()),
    ])
    const statuses = new Set([...answers, ...removal].map(({ status }) => status))
    expect([...statuses].filter((status) => status >= 500)).toEqual([])
    for (const table of ['auth_users', 'auth_logins', 'auth_sessions'] as const) {
      const column = table === 'auth_users' ? 'id' : 'user_id'
      const rows = await site.database.db
        .selectFrom(table)
        .select('id')
        .where(column as 'id', '=', created.body.id)
        .execute()
      expect([table, rows]).toEqual([table, []])
    }
  })
})
