import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CallerName, type DataApp, startDataApp } from '#tests/support/data-app.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'

const REFUSED: [CallerName, number][] = [
  ['guest', 401],
  ['anon', 401],
  ['stranger', 403],
  ['halfway', 403],
]
const ADMITTED: CallerName[] = ['admin', 'superAdmin', 'service']

describe.each(TIER_ENGINES)('access to the data service on %s', (engine) => {
  let data: DataApp
  beforeAll(async () => {
    data = await startDataApp(engine)
  })
  afterAll(() => data.close())

  const requests = (table: string) => [
    { method: 'GET' as const, url: `/rest/v1/${table}` },
    { method: 'HEAD' as const, url: `/rest/v1/${table}` },
    { method: 'POST' as const, url: `/rest/v1/${table}`, payload: { name: 'x', type: 'custom' } },
    { method: 'PATCH' as const, url: `/rest/v1/${table}?id=not.is.null`, payload: { name: 'x' } },
    { method: 'DELETE' as const, url: `/rest/v1/${table}?id=not.is.null` },
  ]

  test.each(REFUSED)('refuses reads and writes of %s (%d)', async (as, status) => {
    const changes = data.changes()
    for (const table of ['tracking_pixels', 'admin_users']) {
      for (const request of requests(table)) {
        const answer = await data.call({ ...request, as })
        expect(answer.statusCode).toBe(status)
        expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined)
        if (request.method === 'HEAD') continue
        expect(answer.json()).toMatchObject({
          code: '42501',
          message: `permission denied for table ${table}`,
        })
        expect(answer.body).not.toContain('exemplo.com.br')
      }
    }
    expect(data.changes()).toBe(changes)
  })

  test.each(ADMITTED)('allows %s', async (as) => {
    for (const table of ['tracking_pixels', 'admin_users']) {
      expect((await data.call({ url: `/rest/v1/${table}`, as })).statusCode).toBe(200)
    }
    const made = await data.call({
      method: 'POST',
      url: '/rest/v1/tracking_pixels',
      payload: { name: 'x', type: 'custom' },
      as,
    })
    expect(made.statusCode).toBe(201)
  })

  test('an expired token', async () => {
    const answer = await data.call({ url: '/rest/v1/admin_users', headers: { 'x-test-caller': 'expired' } })
    expect(answer.statusCode).toBe(401)
    expect(answer.headers['www-authenticate']).toBe('Bearer')
    expect(answer.json()).toEqual({ code: 'PGRST303', message: 'JWT expired', details: null, hint: null })
  })

  test.each([
    ['an unknown table', 'GET', '/rest/v1/auth_users', {}, 404, 'PGRST205'],
    ['a function', 'GET', '/rest/v1/rpc/login', {}, 404, 'PGRST202'],
    ['a deeper path', 'GET', '/rest/v1/tracking_pixels/1', {}, 404, 'PGRST125'],
    ['a navigation', 'GET', '/rest/v1/tracking_pixels', { 'sec-fetch-mode': 'navigate' }, 403, 'forbidden'],
    [
      'a foreign origin',
      'GET',
      '/rest/v1/tracking_pixels',
      { origin: 'https://a.example' },
      403,
      'forbidden',
    ],
    ['an opaque origin', 'GET', '/rest/v1/tracking_pixels', { origin: 'null' }, 403, 'forbidden'],
  ] as const)('refuses %s', async (_what, method, url, headers, status, code) => {
    const answer = await data.call({ method, url, headers })
    expect(answer.statusCode).toBe(status)
    expect(answer.json().code).toBe(code)
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test.each([
    ['text', 'text/plain', '{}', 400, 'PGRST102'],
    ['a form', 'application/x-www-form-urlencoded', 'name=x', 400, 'PGRST102'],
    ['broken JSON', 'application/json', '{"name":', 400, 'PGRST102'],
    ['no body', 'application/json', '', 400, 'PGRST102'],
  ])('refuses a body that is %s', async (_what, type, payload, status, code) => {
    const answer = await data.call({
      method: 'POST',
      url: '/rest/v1/tracking_pixels',
      payload,
      headers: { 'content-type': type },
    })
    expect(answer.statusCode, answer.body).toBe(status)
    expect(answer.json().code).toBe(code)
  })

  test('OPTIONS lists the methods and allows no other origin', async () => {
    const answer = await data.call({ method: 'OPTIONS', url: '/rest/v1/tracking_pixels', as: 'guest' })
    expect(answer.headers.allow).toBe('OPTIONS,GET,HEAD,POST,PATCH,PUT,DELETE')
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})
