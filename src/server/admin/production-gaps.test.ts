import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseConfig } from '#server/config.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { findProductionGaps } from './production-gaps.ts'

const codes = (env: Record<string, string>) => findProductionGaps(parseConfig(env)).map(({ code }) => code)
const WHOLE = {
  SITE_URL: 'https://www.exemplo.com.br',
  ADMIN_URL: 'https://painel.exemplo.com.br',
  SMTP_URL: 'smtp://mail:587',
  TRUST_PROXY: 'loopback',
  BACKUP_EVERY: '24h',
}

test('a site of this machine lacks nothing, and one that has everything neither', () => {
  expect(codes({})).toEqual([])
  expect(codes({ SITE_URL: 'http://127.0.0.1:3000' })).toEqual([])
  expect(codes(WHOLE)).toEqual([])
})

test.each([
  [{ SITE_URL: 'http://www.exemplo.com.br' }, ['plain_http']],
  [{ ADMIN_URL: '' }, ['no_admin_url']],
  [{ SMTP_URL: '' }, ['no_smtp_url']],
  [{ TRUST_PROXY: '' }, ['no_trust_proxy']],
  [{ BACKUP_EVERY: '' }, ['no_backups']],
])('%j: %j', (changed, missing) => {
  expect(codes({ ...WHOLE, ...changed })).toEqual(missing)
})

let site: TestApp
beforeAll(async () => {
  site = await startTestApp({ env: { SITE_URL: 'http://www.exemplo.com.br', SMTP_URL: 'smtp://mail' } })
})
afterAll(() => site.close())

test('administrators are told, and nobody else', async () => {
  const ask = (headers: Record<string, string> = {}) =>
    site.app.inject({ url: '/admin/api/notices', headers: { host: 'www.exemplo.com.br', ...headers } })
  const guest = await ask()
  expect(guest.statusCode).toBe(401)
  expect(guest.body).not.toContain('SITE_URL')
  const page = await site.app.inject({ url: '/admin', headers: { host: 'www.exemplo.com.br' } })
  const apikey = /"anonKey":"([^"]+)"/.exec(page.body)?.[1] ?? ''
  expect((await ask({ apikey })).statusCode).toBe(401)
  const session = await site.app.inject({
    method: 'POST',
    url: '/auth/v1/token?grant_type=password',
    headers: { apikey, host: 'www.exemplo.com.br' },
    payload: PRINCIPAL,
  })
  const told = await ask({ apikey, authorization: `Bearer ${session.json().access_token}` })
  expect(told.statusCode).toBe(200)
  expect(told.json().gaps.map(({ code }: { code: string }) => code)).toEqual([
    'plain_http',
    'no_admin_url',
    'no_backups',
  ])
})
