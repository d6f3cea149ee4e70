import { afterAll, beforeAll, expect, test } from 'vitest'
import { PRINCIPAL, startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { parseConfig } from '../config.ts'
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

const HOST = { host: 'www.exemplo.com.br' }
const ask = (headers: Record<string, string> = {}) =>
  site.app.inject({ url: '/admin/api/notices', headers: { ...HOST, ...headers } })
const confirm = (headers: Record<string, string> = {}) =>
  site.app.inject({ method: 'POST', url: '/admin/api/clock/confirm', headers: { ...HOST, ...headers } })

async function anonKey(): Promise<string> {
  const page = await site.app.inject({ url: '/admin', headers: HOST })
  return /"anonKey":"([^"]+)"/.exec(page.body)?.[1] ?? ''
}

async function signIn(): Promise<Record<string, string>> {
  const apikey = await anonKey()
  const session = await site.app.inject({
    method: 'POST',
    url: '/auth/v1/token?grant_type=password',
    headers: { apikey, ...HOST },
    payload: PRINCIPAL,
  })
  return { apikey, authorization: `Bearer ${session.json().access_token}` }
}

test('administrators are told, and nobody else', async () => {
  for (const headers of [{}, { apikey: await anonKey() }]) {
    const guest = await ask(headers)
    expect(guest.statusCode).toBe(401)
    expect(guest.body).not.toContain('SITE_URL')
    expect((await confirm(headers)).statusCode).toBe(401)
  }
  const told = await ask(await signIn())
  expect(told.statusCode).toBe(200)
  expect(told.json().gaps.map(({ code }: { code: string }) => code)).toEqual([
    'plain_http',
    'no_admin_url',
    'no_backups',
  ])
  expect(told.json().problems).toEqual([])
})

test('a clock that jumped is told until an administrator confirms it, which the trail keeps', async () => {
  const { db } = site.database
  await db.updateTable('site_state').set({ clock_seen_at: '2020-01-01T00:00:00.000Z' }).execute()
  const headers = await signIn()
  expect((await ask(headers)).json().problems).toEqual([
    { code: 'clock_jumped', message: expect.stringContaining('adiantado em relação') },
  ])
  expect((await confirm(headers)).statusCode).toBe(204)
  expect((await ask(headers)).json().problems).toEqual([])
  const { actor } = await db
    .selectFrom('audit_events')
    .select('actor')
    .where('action', '=', 'clock.confirmed')
    .executeTakeFirstOrThrow()
  expect(actor).toBe(PRINCIPAL.email)
})
